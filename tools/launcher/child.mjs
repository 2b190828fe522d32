/**
 * Loaded before the main script of everything the launcher starts: when the channel to the launcher closes, because it
 * has ended in whatever way, kill -9 included, this process shuts down as if it had been told to.
 */
const GRACE_MS = 15_000;

const launcher = process.env.LAUNCHED_BY;
// Node hands its options, this file among them, on to what a process forks; those have a channel of another kind.
delete process.env.LAUNCHED_BY;

if (launcher) {
  process.on('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), GRACE_MS).unref();
  });
  // The channel alone is no reason to stay.
  process.channel?.unref();
  // The launcher may have ended before this was loaded.
  if (launcher !== String(process.ppid)) process.exit(1);
}
