/** One look for every row of a menu, whether it acts or is chosen. */
export const menuItemClass =
  'flex h-8 items-center gap-2.5 rounded-[7px] px-2.5 text-13 font-medium text-ink-2 outline-none ' +
  'select-none data-highlighted:bg-sunken data-highlighted:text-ink touch:h-11'
