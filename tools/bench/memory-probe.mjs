/**
 * Loaded into a server whose memory is looked at: answers its parent's message `memory` with `process.memoryUsage()`
 * after a full garbage collection. Needs `--expose-gc`.
 */
process.on('message', (message) => {
  if (message !== 'memory') return;
  globalThis.gc();
  process.send(process.memoryUsage());
});
