import { type MaybeRefOrGetter, toValue, watchEffect } from 'vue'
import { t } from '@/locales'

/** What the browser's tab and history call this page. */
export function usePageTitle(title: MaybeRefOrGetter<string>): void {
  watchEffect(() => {
    document.title = `${toValue(title)} · ${t('app.name')}`
  })
}
