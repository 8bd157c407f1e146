import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { aFiledTurn, aTicket } from '@/testing/builders'
import { fakeServer, networkDown } from '@/testing/fakeServer'
import FiledTurn from './FiledTurn.vue'

const one = 'GET /api/tickets/*'
const issue_url = 'https://github.com/acme/helpdesk/issues/7'
const shown = (over: Parameters<typeof aFiledTurn>[0]) =>
  mount(FiledTurn, {
    props: { turn: aFiledTurn(over) },
    global: { stubs: { RouterLink: { template: '<a><slot /></a>' } } },
  })
const later = async () => {
  await vi.advanceTimersByTimeAsync(4_100)
  await nextTick()
}

describe('a filed ticket in the chat', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('says that its issue follows, and shows the number as soon as there is one', async () => {
    let ticket = aTicket({ issue_state: 'pending' })
    const server = fakeServer({ [one]: () => ticket })
    const turn = shown({ issue_state: 'pending' })
    expect(turn.text()).toContain('Not sent yet')
    await later()
    expect(turn.text()).toContain('Not sent yet')
    ticket = aTicket({ issue_state: 'filed', issue_number: 7, issue_url })
    await later()
    expect(turn.text()).toContain('Issue #7')
    const asked = server.to(one).length
    await later()
    await later()
    expect(server.to(one)).toHaveLength(asked)
  })

  it('asks on when it cannot be seen, and no more once it is gone', async () => {
    const server = fakeServer({ [one]: networkDown })
    const turn = shown({ issue_state: 'unknown' })
    await later()
    await later()
    expect(turn.text()).toContain('being checked')
    const asked = server.to(one).length
    expect(asked).toBeGreaterThan(1)
    turn.unmount()
    await later()
    expect(server.to(one)).toHaveLength(asked)
  })

  it.each([['off'], ['refused'], ['filed']] as const)(
    'asks nothing when it is %s',
    async (state) => {
      const server = fakeServer({ [one]: () => aTicket() })
      shown({ issue_state: state })
      await later()
      expect(server.to(one)).toHaveLength(0)
    },
  )
})
