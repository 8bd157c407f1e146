import { describe, expect, it, vi } from 'vitest'
import { anAnswer, aSource } from '@/testing/builders'
import { findBarriers, mountPart, settle } from '@/testing/mountApp'
import AnswerMessage from './AnswerMessage.vue'

function show(props: Record<string, unknown> = {}) {
  const rate = vi.fn(() => Promise.resolve())
  const onOpenSource = vi.fn()
  const onSwitchToAgent = vi.fn()
  const part = mountPart(AnswerMessage, {
    message: anAnswer(),
    streamed: '',
    isLost: false,
    mode: 'agent',
    isSwitching: false,
    rate,
    onOpenSource,
    onSwitchToAgent,
    ...props,
  })
  return { ...part, rate, onOpenSource, onSwitchToAgent }
}

describe('sources', () => {
  it('open from the number and from the chip', async () => {
    const { getByRole, onOpenSource } = show()
    getByRole('button', { name: 'Source 1: VPN leases' }).click()
    getByRole('link', { name: 'Source 1 VPN leases' }).click()
    await settle()
    expect(onOpenSource).toHaveBeenCalledTimes(2)
    expect(onOpenSource).toHaveBeenCalledWith(aSource())
  })

  it('have an address of their own for a new tab', () => {
    const { getByRole, onOpenSource } = show()
    const chip = getByRole('link', { name: 'Source 1 VPN leases' })
    expect(chip.getAttribute('href')).toBe('/articles/article-1?start=11&end=37')
    const click = new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey: true })
    chip.dispatchEvent(click)
    expect(click.defaultPrevented).toBe(false)
    expect(onOpenSource).not.toHaveBeenCalled()
  })

  it('say when they are samples', () => {
    const { getByRole } = show({ message: anAnswer({ sources: [aSource({ sample: true })] }) })
    getByRole('link', { name: 'Source 1 VPN leases sample' })
  })

  it('of one article are told apart by their headings', () => {
    const sources = [aSource(), aSource({ number: 2, heading: 'Cures' })]
    const { getByRole } = show({ message: anAnswer({ sources }) })
    getByRole('link', { name: 'Source 2 VPN leases · Cures' })
  })
})

describe('feedback', () => {
  it('is given, and taken back by pressing again', async () => {
    const { getByRole, rate } = show()
    const button = getByRole('button', { name: 'Helpful' })
    expect(button.getAttribute('aria-pressed')).toBe('false')
    button.click()
    await settle()
    expect(rate).toHaveBeenCalledWith('answer-1', 'helpful', undefined)
  })

  it('takes a reason with it, once', async () => {
    const { getByRole, queryByRole, rate } = show({ message: anAnswer({ feedback: 'helpful' }) })
    expect(queryByRole('textbox')).toBeNull()
    getByRole('button', { name: 'Not helpful' }).click()
    await settle()
    const why = getByRole('textbox', { name: 'Why? (optional)' }) as HTMLInputElement
    getByRole('button', { name: 'Send' }).click()
    await settle()
    expect(rate).toHaveBeenCalledTimes(1) // nothing was written
    why.value = '  It names another printer  '
    why.dispatchEvent(new Event('input'))
    await settle()
    getByRole('button', { name: 'Send' }).click()
    await settle()
    expect(rate).toHaveBeenLastCalledWith('answer-1', 'helpful', 'It names another printer')
    expect(queryByRole('textbox')).toBeNull()
  })

  it('shows which one was chosen', async () => {
    const { getByRole, rate } = show({ message: anAnswer({ feedback: 'unhelpful' }) })
    const button = getByRole('button', { name: 'Not helpful', pressed: true })
    button.click()
    await settle()
    expect(rate).toHaveBeenCalledWith('answer-1', null, undefined)
  })
})

describe('an answer that resolves nothing', () => {
  const message = anAnswer({ kb_resolved: false })

  it('offers help in Agent mode', async () => {
    const onGetHelp = vi.fn()
    const { getByRole, queryByRole } = show({ message, escalation: 'offered', onGetHelp })
    expect(queryByRole('button', { name: 'Switch to Agent' })).toBeNull()
    getByRole('button', { name: 'Get help' }).click()
    await settle()
    expect(onGetHelp).toHaveBeenCalledOnce()
  })

  it('offers the way to Agent mode in Ask mode', async () => {
    const { getByRole, queryByRole, onSwitchToAgent } = show({
      message,
      mode: 'ask',
      escalation: 'offered',
    })
    expect(queryByRole('button', { name: 'Get help' })).toBeNull()
    getByRole('button', { name: 'Switch to Agent' }).click()
    await settle()
    expect(onSwitchToAgent).toHaveBeenCalledOnce()
  })

  it('says when help was asked for, with nothing to press', () => {
    const { getByText, queryByRole } = show({ message, escalation: 'requested' })
    getByText('Help requested')
    expect(queryByRole('button', { name: 'Get help' })).toBeNull()
  })

  it('is the only one with such an offer, and the latest', () => {
    const group = { name: 'What next?' }
    expect(show({ escalation: 'offered' }).queryByRole('group', group)).toBeNull()
    expect(show({ message }).queryByRole('group', group)).toBeNull()
  })
})

describe('an answer that did not help', () => {
  const message = anAnswer({ feedback: 'unhelpful' })

  it('offers help below its rating', async () => {
    const onGetHelp = vi.fn()
    const { getByRole, getByText } = show({ message, escalation: 'offered', onGetHelp })
    getByText('The agent can look further than this answer.')
    const rating = getByRole('group', { name: 'Was this helpful?' })
    const offer = getByRole('group', { name: 'What next?' })
    expect(rating.compareDocumentPosition(offer)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
    getByRole('button', { name: 'Get help' }).click()
    await settle()
    expect(onGetHelp).toHaveBeenCalledOnce()
  })

  it('offers it once where nothing was found either', () => {
    const unresolved = anAnswer({ kb_resolved: false, feedback: 'unhelpful' })
    const { getAllByRole } = show({ message: unresolved, escalation: 'offered' })
    expect(getAllByRole('button', { name: 'Get help' })).toHaveLength(1)
  })

  it('offers none where it was rated helpful', () => {
    const helpful = anAnswer({ feedback: 'helpful' })
    const { queryByRole } = show({ message: helpful, escalation: 'offered' })
    expect(queryByRole('group', { name: 'What next?' })).toBeNull()
  })
})

it('shows what has arrived and nothing to press while it arrives', async () => {
  const { getByRole, queryByRole } = show({ message: null, streamed: 'The lease [1]' })
  await settle()
  expect(getByRole('article', { name: 'Knowledge base' }).getAttribute('aria-busy')).toBe('true')
  expect(queryByRole('button')).toBeNull()
  expect(queryByRole('group', { name: 'Was this helpful?' })).toBeNull()
})

it('has no barriers', async () => {
  const message = anAnswer({ kb_resolved: false, degraded: 'No model was reachable.' })
  show({ message, escalation: 'offered' })
  expect(await findBarriers()).toEqual([])
})
