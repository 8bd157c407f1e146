import { flushPromises, mount } from '@vue/test-utils'
import { describe, expect, it, vi } from 'vitest'
import MessageComposer from './MessageComposer.vue'

function composer(text: string, props: Record<string, unknown> = {}) {
  const wrapper = mount(MessageComposer, {
    attachTo: document.body,
    props: {
      modelValue: text,
      placeholder: 'Ask a question',
      busy: false,
      'onUpdate:modelValue': (modelValue: string) => wrapper.setProps({ modelValue }),
      ...props,
    },
  })
  const area = wrapper.get('textarea')
  return {
    wrapper,
    area,
    send: wrapper.get('button'),
    sent: () => (wrapper.emitted('send') ?? []).map(([value]) => value),
    press: (init: KeyboardEventInit = {}) => area.trigger('keydown', { key: 'Enter', ...init }),
  }
}

describe('Enter', () => {
  it('sends what was written, trimmed, and empties the field', async () => {
    const { press, sent, wrapper } = composer('  Why?  ')
    await press()
    expect(sent()).toEqual(['Why?'])
    expect(wrapper.props('modelValue')).toBe('')
  })

  it('with Shift starts a new line', async () => {
    const { press, sent } = composer('Why?')
    await press({ shiftKey: true })
    expect(sent()).toEqual([])
  })

  it('that confirms a word of an input method sends nothing, the next one does', async () => {
    const { area, press, sent } = composer('日本')
    await area.trigger('compositionstart')
    await press()
    await press({ isComposing: true })
    await press({ keyCode: 229 })
    // Safari reports the end of the composition before the key that caused it.
    await area.trigger('compositionend')
    await press()
    expect(sent()).toEqual([])
    await new Promise((resolve) => setTimeout(resolve))
    await press()
    expect(sent()).toEqual(['日本'])
  })
})

describe('sending', () => {
  it.each([
    ['nothing is written', '   ', {}],
    ['an answer is under way', 'Why?', { busy: true }],
    ['the text is too long', 'x'.repeat(8001), {}],
  ])('waits while %s', async (_, text, props) => {
    const { press, send, sent } = composer(text, props)
    await press()
    expect(send.attributes('disabled')).toBeDefined()
    expect(sent()).toEqual([])
  })

  it('waits while offline and keeps the text', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    const { press, sent, wrapper } = composer('Why?')
    await press()
    expect(sent()).toEqual([])
    expect(wrapper.props('modelValue')).toBe('Why?')
  })
})

it('counts characters as the server does, near the end only', async () => {
  const { wrapper } = composer('🔑'.repeat(7990))
  await flushPromises()
  expect(wrapper.text()).toContain('10 characters left')
  expect(composer('short').wrapper.text()).not.toContain('left')
})
