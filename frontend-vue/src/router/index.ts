import { createRouter, createWebHistory, type RouteRecordRaw } from 'vue-router'
import { useAuth } from '@/stores/auth'
import { nextPath } from './nextPath'

declare module 'vue-router' {
  interface RouteMeta {
    /** Reachable without being signed in. */
    isOpen?: boolean
  }
}

export const routes: RouteRecordRaw[] = [
  { path: '/', redirect: { name: 'chat' } },
  { path: '/chat/:chatId?', name: 'chat', component: () => import('@/views/ChatView.vue') },
  {
    path: '/articles/:articleId',
    name: 'article',
    component: () => import('@/views/ArticleView.vue'),
  },
  {
    path: '/my/tickets',
    name: 'my-tickets',
    component: () => import('@/views/MyTicketsView.vue'),
  },
  {
    path: '/my/tickets/:ticketId',
    name: 'ticket',
    component: () => import('@/views/TicketView.vue'),
  },
  { path: '/account', name: 'account', component: () => import('@/views/AccountView.vue') },
  {
    path: '/change-password',
    name: 'change-password',
    component: () => import('@/views/ChangePasswordView.vue'),
  },
  {
    path: '/login',
    name: 'login',
    component: () => import('@/views/LoginView.vue'),
    meta: { isOpen: true },
  },
  {
    path: '/:rest(.*)*',
    name: 'not-found',
    component: () => import('@/views/NotFoundView.vue'),
    meta: { isOpen: true },
  },
]

export function createAppRouter(history = createWebHistory()) {
  const router = createRouter({ history, routes })

  router.beforeEach(async (to) => {
    const auth = useAuth()
    if (to.name === 'not-found') return true
    if (auth.status === 'unknown' || auth.status === 'unreachable') await auth.load()
    if (auth.status === 'unreachable') return to.name === 'login'
    if (!auth.isSignedIn) {
      return to.meta.isOpen ? true : { name: 'login', query: { next: to.fullPath } }
    }
    if (auth.mustChangePassword) {
      if (to.name === 'change-password') return true
      const next = to.name === 'login' ? nextPath(to.query.next) : to.fullPath
      return { name: 'change-password', query: { next } }
    }
    if (to.name === 'login' || to.name === 'change-password') return nextPath(to.query.next)
    return true
  })

  return router
}
