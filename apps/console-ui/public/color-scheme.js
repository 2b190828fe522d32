// Runs before the first paint, so that a dark page does not flash white. The same key as in the pages.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem('color-scheme');
    // The console renders its pages for visitors. Whoever was signed in does not see what is for visitors only (shell.css).
    if (localStorage.getItem('session') === 'yes')
      document.documentElement.setAttribute('data-returning', '');
  } catch {
    // Storage is switched off: the system decides.
  }
  var isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
})();
