import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { aCandidate, aFiledTurn } from '@/testing/builders'
import DuplicateNote from '../DuplicateNote.vue'
import LinkedTurn from './LinkedTurn.vue'

const address = 'https://github.com/acme/helpdesk/issues/7'
const stubs = { RouterLink: { template: '<a><slot /></a>' } }

describe('an issue about the same', () => {
  it('is offered as one, with how it stands there', () => {
    const candidate = aCandidate({ source: 'github', number: 7, status: 'open', url: address })
    const note = mount(DuplicateNote, { props: { candidate, canLink: true, busy: false } })
    expect(note.text()).toContain('Possible duplicate in the tracker: #7')
    expect(note.text()).toContain('Link to issue #7')
    expect(note.text()).toContain('Open')
    expect(note.get('a').attributes('href')).toBe(address)
  })

  it('that was linked is not looked for among the tickets', () => {
    const turn = aFiledTurn({
      kind: 'linked',
      ticket_id: null,
      ticket_number: null,
      issue_number: 7,
      linked_issue_url: address,
    })
    const linked = mount(LinkedTurn, { props: { turn }, global: { stubs } })
    expect(linked.text()).toContain('Linked to issue #7')
    expect(linked.text()).not.toContain('My tickets')
    expect(linked.get('a').attributes('href')).toBe(address)
  })
})
