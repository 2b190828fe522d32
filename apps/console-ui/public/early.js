// Runs before the first paint, so that a dark page does not flash white. The same key as in the pages.
(function () {
  var root = document.documentElement;
  var chosen = null;
  try {
    chosen = localStorage.getItem('color-scheme');
    // The console renders its pages for visitors. Whoever was signed in does not see what is for visitors only (shell.css).
    if (localStorage.getItem('session') === 'yes') root.setAttribute('data-returning', '');
  } catch {
    // Storage is switched off: the system decides.
  }
  var isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');

  // The button that was pressed last before the other scripts could answer (replace-page.ts).
  document.addEventListener('click', function (event) {
    globalThis.earlyPress = event.target.closest('#root button') || globalThis.earlyPress;
  });
})();
