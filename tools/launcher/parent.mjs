import { commandLine, parentOf } from '../setup/processes.mjs';

const INTERVAL_MS = 300;

/**
 * Calls back when the npm that runs this script is gone. npm passes a SIGTERM or kill -9 on to nobody, which would leave
 * the script running unseen. Without npm there is nothing to watch: a script started in the background by hand may
 * well outlive its terminal.
 * @param {() => void} callback
 */
export function onOrphaned(callback) {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  // Some shells stay between npm and the script.
  const isShell = /^(\S*\/)?(sh|dash|bash|zsh|ash) /.test(commandLine(parent));
  const grandparent = isShell ? parentOf(parent) : null;
  const timer = setInterval(() => {
    if (process.ppid === parent && (!grandparent || parentOf(parent) === grandparent)) return;
    clearInterval(timer);
    callback();
  }, INTERVAL_MS);
  timer.unref();
}
