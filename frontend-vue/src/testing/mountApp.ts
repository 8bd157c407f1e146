import { PiniaColada } from '@pinia/colada'
import { getQueriesForElement } from '@testing-library/dom'
import { flushPromises, mount } from '@vue/test-utils'
import axe from 'axe-core'
import { createPinia, setActivePinia } from 'pinia'
import { type Component, h, nextTick } from 'vue'
import { createMemoryHistory } from 'vue-router'
import App from '@/App.vue'
import { createAppRouter } from '@/router'
import { connectSessionTo } from '@/router/sessionEnd'
import { useAuth } from '@/stores/auth'

// Loaded beforehand, so that what is lazy in the browser is there at once in a test.
await Promise.all([
  import('@/views/ChatView.vue'),
  import('@/views/AccountView.vue'),
  import('@/views/ArticleView.vue'),
  import('@/views/ChangePasswordView.vue'),
  import('@/views/LoginView.vue'),
  import('@/views/MyTicketsView.vue'),
  import('@/views/NotFoundView.vue'),
  import('@/views/TicketView.vue'),
  import('@/components/chat/CancelSession.vue'),
  import('@/components/chat/DraftReviewModal.vue'),
  import('@/components/chat/SourceSheet.vue'),
  import('@/components/chat/DeleteConversation.vue'),
  import('@/components/shell/AccountMenu.vue'),
  import('@/components/shell/ShortcutSheet.vue'),
  import('@/components/shell/ThemeMenu.vue'),
])

/** A component with real stores and router, in the document, and queries by role and name. */
export function mountPart(component: Component, props: Record<string, unknown> = {}) {
  const pinia = createPinia()
  setActivePinia(pinia)
  const router = createAppRouter(createMemoryHistory())
  const wrapper = mount(
    { render: () => h(component, props) },
    { attachTo: document.body, global: { plugins: [pinia, PiniaColada, router] } },
  )
  return { wrapper, router, ...getQueriesForElement(document.body) }
}

/** The whole application at an address, as `main.ts` puts it together. */
export async function mountAt(path: string) {
  const pinia = createPinia()
  setActivePinia(pinia)
  const router = createAppRouter(createMemoryHistory())
  connectSessionTo(useAuth(), router)
  const wrapper = mount(App, {
    attachTo: document.body,
    global: { plugins: [pinia, PiniaColada, router] },
  })
  await router.push(path)
  await settle()
  return { wrapper, router, ...getQueriesForElement(document.body) }
}

/** Lets answers arrive and lazily loaded parts appear. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    await flushPromises()
    await new Promise((resolve) => setTimeout(resolve))
    await nextTick()
  }
}

/** What axe finds in the document. Colours need a real browser and are left to the end-to-end tests. */
export async function findBarriers(root: Element = document.body): Promise<string[]> {
  const { violations } = await axe.run(root, {
    rules: { 'color-contrast': { enabled: false }, region: { enabled: false } },
  })
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
}
