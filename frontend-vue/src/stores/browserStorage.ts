/** Browser storage may be switched off or full; nothing here may fail because of it. */
function guarded(area: () => Storage) {
  return {
    read(key: string): string | null {
      try {
        return area().getItem(key)
      } catch {
        return null
      }
    },
    write(key: string, value: string | null): void {
      try {
        if (value === null) area().removeItem(key)
        else area().setItem(key, value)
      } catch {
        // Kept for this page only, then.
      }
    },
    clear(prefix: string): void {
      try {
        const storage = area()
        Object.keys(storage)
          .filter((key) => key.startsWith(prefix))
          .forEach((key) => storage.removeItem(key))
      } catch {
        // Nothing was stored.
      }
    },
  }
}

export const tabStorage = guarded(() => sessionStorage)
export const lastingStorage = guarded(() => localStorage)
