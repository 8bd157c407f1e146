import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import BaseAsync, { type AsyncState } from './BaseAsync.vue'

const show = (state: AsyncState) =>
  mount(BaseAsync, {
    props: { state, error: 'The server could not be reached.' },
    slots: { loading: 'skeleton', empty: 'nothing yet', default: 'content' },
  })

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('what is loaded', () => {
  it('shows a skeleton only after 200 ms', async () => {
    const wrapper = show('loading')
    expect(wrapper.text()).toBe('')
    vi.advanceTimersByTime(199)
    await nextTick()
    expect(wrapper.text()).toBe('')
    vi.advanceTimersByTime(1)
    await nextTick()
    expect(wrapper.text()).toContain('skeleton')
    expect(wrapper.get('[role=status]').text()).toBe('Loading')
  })

  it('says what went wrong and offers to try again', async () => {
    const wrapper = show('error')
    expect(wrapper.get('[role=alert]').text()).toContain('The server could not be reached.')
    await wrapper.get('button').trigger('click')
    expect(wrapper.emitted('retry')).toHaveLength(1)
  })

  it('says that there is nothing', () => {
    expect(show('empty').text()).toBe('nothing yet')
  })

  it('shows its content', () => {
    expect(show('content').text()).toBe('content')
  })
})
