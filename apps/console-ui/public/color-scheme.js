// Runs before the first paint, so that a dark page does not flash white. The same key as in the pages.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem('color-scheme');
  } catch {
    // Storage is switched off: the system decides.
  }
  var isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
})();
