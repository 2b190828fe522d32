/**
 * Preloaded into a measured server: answers the message `memory` of its parent process with `process.memoryUsage()` after a
 * full garbage collection. Requires `--expose-gc`.
 */
process.on('message', (message) => {
  if (message !== 'memory') return;
  globalThis.gc?.();
  process.send?.(process.memoryUsage());
});
