/**
 * Preloaded into every process that the launcher starts. When the launcher ends, even by kill -9, its channel to this
 * process closes, and this process shuts down as if by SIGTERM.
 */
const GRACE_MS = 15_000;

const launcher = process.env.LAUNCHED_BY;
// A process that this one forks inherits Node's options, and so this preload, but must not watch its channel.
delete process.env.LAUNCHED_BY;

if (launcher) {
  // The launcher reads the output. After its end nobody does, and what is in progress has to be finished all the same.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  process.on('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), GRACE_MS).unref();
  });
  // An open channel alone must not keep the process alive.
  process.channel?.unref();
  // The launcher may have ended before this file was loaded.
  if (launcher !== String(process.ppid)) process.exit(1);
}
