// Sets the theme before the first paint. A file of its own, since the page's policy allows no inline script.
;(function () {
  var choice = null
  try {
    choice = localStorage.getItem('helpdesk.theme')
  } catch {
    // Storage is switched off: follow the system.
  }
  var dark =
    choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
})()
