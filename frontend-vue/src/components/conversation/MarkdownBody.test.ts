import { mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { type Citations, citationsKey } from './citations'
import MarkdownBody from './MarkdownBody.vue'

beforeEach(() => setActivePinia(createPinia()))

const html = (source: string) => mount(MarkdownBody, { props: { source } }).element as HTMLElement

describe('hostile text', () => {
  it('shows raw HTML as text', () => {
    const root = html('<script>alert(1)</script>\n\nHi <img src=x onerror=alert(1)> there')
    expect(root.querySelector('script, img')).toBeNull()
    expect(root.textContent).toContain('<script>alert(1)</script>')
    expect(root.textContent).toContain('<img src=x onerror=alert(1)>')
  })

  it('offers no link with a scheme that runs code', () => {
    const root = html('[click](javascript:alert(1)) <javascript:alert(2)> [rel](/account)')
    expect(root.querySelector('a')).toBeNull()
    expect(root.textContent).toContain('click')
  })

  it('opens other sites in a tab that knows nothing of this one', () => {
    const link = html('[site](https://example.org)').querySelector('a')
    expect(link?.getAttribute('rel')).toBe('noopener noreferrer nofollow')
    expect(link?.getAttribute('target')).toBe('_blank')
  })

  it('links a picture instead of fetching it', () => {
    const root = html('![a plan](https://example.org/a.png)')
    expect(root.querySelector('img')).toBeNull()
    expect(root.querySelector('a')?.textContent).toBe('Image: a plan')
  })

  it('sets no style attribute for the alignment of a column', () => {
    const root = html('| a | b |\n|:-:|--:|\n| 1 | 2 |')
    expect(root.querySelector('[style]')).toBeNull()
    expect(root.querySelector('td.align-right')?.textContent).toBe('2')
  })
})

describe('citations', () => {
  function answer(source: string, over: Partial<Citations> = {}) {
    const citations: Citations = {
      titleOf: (number) => (number === 1 ? 'VPN leases' : null),
      areKnown: () => true,
      open: vi.fn(),
      ...over,
    }
    const wrapper = mount(MarkdownBody, {
      props: { source, citations: true },
      global: { provide: { [citationsKey as symbol]: citations } },
    })
    return { wrapper, citations }
  }

  it('makes a number behind raw HTML a button as well', () => {
    const { wrapper } = answer('<details>\nMore &amp; more\n</details> [1]')
    expect(wrapper.get('button').attributes('aria-label')).toBe('Source 1: VPN leases')
    expect(wrapper.text()).toContain('<details>\nMore &amp; more\n</details>')
  })

  it('makes a known number a button with the name of its source', async () => {
    const { wrapper, citations } = answer('It ends every hour [1]. See [2].')
    const button = wrapper.get('button')
    expect(button.attributes('aria-label')).toBe('Source 1: VPN leases')
    await button.trigger('click')
    expect(citations.open).toHaveBeenCalledWith(1)
    expect(wrapper.text()).toContain('See[2].')
  })

  it('leaves numbers in code alone', () => {
    expect(answer('Use `a[1]` here').wrapper.find('button').exists()).toBe(false)
  })

  it('reads two numbers in a row as two sources', () => {
    const { wrapper } = answer('Both [1][1]')
    expect(wrapper.findAll('button')).toHaveLength(2)
  })

  it('offers nothing to press while the answer arrives', () => {
    const { wrapper } = answer('Word [1]', { areKnown: () => false, titleOf: () => null })
    expect(wrapper.find('button').exists()).toBe(false)
    expect(wrapper.get('sup').text()).toBe('1')
  })
})

describe('a cited passage', () => {
  const source =
    '# Head\n\nFirst **bold words** end.\n\n- item one\n- item two\n  - nested thing\n\n> quoted line\n\n' +
    '| a | b |\n|---|---|\n| cell one | cell two |\n\n```\ncode line\n```\n'

  function marked(passage: string) {
    const start = source.indexOf(passage)
    const span = { start, end: start + passage.length }
    const root = mount(MarkdownBody, { props: { source, span } }).element as HTMLElement
    return {
      blocks: [...root.querySelectorAll('.cited')].map((element) => element.tagName),
      text: [...root.querySelectorAll('mark')].map((element) => element.textContent).join('|'),
    }
  }

  it('is marked word for word across emphasis', () => {
    expect(marked('First **bold words** end')).toEqual({
      blocks: ['P'],
      text: 'First |bold words| end',
    })
  })

  it('is marked inside a list item', () => {
    expect(marked('item two')).toEqual({ blocks: ['LI'], text: 'item two' })
  })

  it('spans blocks', () => {
    expect(marked('end.\n\n- item one\n- item')).toMatchObject({ blocks: ['P', 'LI', 'LI'] })
  })

  it('is marked in a quote, a table row and a code block', () => {
    expect(marked('quoted line').blocks).toContain('BLOCKQUOTE')
    expect(marked('cell one | cell')).toMatchObject({ text: 'cell one|cell two' })
    expect(marked('code line').blocks).toEqual(['DIV'])
  })

  it('may be absent', () => {
    const root = mount(MarkdownBody, { props: { source, span: null } })
    expect(root.find('mark').exists()).toBe(false)
  })
})

it('leaves out a first heading that repeats the title', () => {
  const wrapper = mount(MarkdownBody, { props: { source: '# VPN\n\nText', title: 'VPN' } })
  expect(wrapper.text()).toBe('Text')
})

it('grows once per frame and ends as the whole', async () => {
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => setTimeout(run))
  const wrapper = mount(MarkdownBody, { props: { source: 'One', streaming: true } })
  await wrapper.setProps({ source: 'One **two' })
  expect(wrapper.text()).toBe('One')
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(wrapper.text()).toBe('One **two')
  await wrapper.setProps({ source: 'One **two**', streaming: false })
  await nextTick()
  expect(wrapper.html()).toContain('<strong>two</strong>')
})
