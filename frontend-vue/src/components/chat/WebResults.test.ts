import { describe, expect, it } from 'vitest'
import { findBarriers, mountPart } from '@/testing/mountApp'
import WebResults from './WebResults.vue'

const page = { title: 'Routes', url: 'https://example.org/a?b=1', snippet: 'Restart the adapter.' }

describe('what the web search found', () => {
  it('is shown with its words and a link that tells the other side nothing', async () => {
    const { getByRole, getByText } = mountPart(WebResults, { pages: [page] })
    const link = getByRole('link', { name: 'Routes' })
    expect(link.getAttribute('href')).toBe('https://example.org/a?b=1')
    expect(link.getAttribute('rel')).toBe('noopener noreferrer nofollow')
    getByText('example.org')
    getByText('Restart the adapter.')
    expect(await findBarriers()).toEqual([])
  })

  it('is text where its address leads nowhere good, and never markup', () => {
    const bad = ['javascript:alert(1)', 'data:text/html,x', 'mailto:a@b.c', '//x', 'file:///etc']
    const { queryByRole, container } = mount(
      bad.map((url) => ({ title: `<b>${url}</b>`, url, snippet: '<img src=x onerror=alert(1)>' })),
    )
    expect(queryByRole('link')).toBeNull()
    expect(container.querySelector('b, img')).toBeNull()
    expect(container.textContent).toContain('<b>javascript:alert(1)</b>')
  })
})

function mount(pages: object[]) {
  const part = mountPart(WebResults, { pages })
  return { ...part, container: part.wrapper.element as HTMLElement }
}
