import { commandLine, parentOf } from '../../setup/processes.mjs';

const INTERVAL_MS = 300;

/**
 * Calls back when the npm that runs this script has ended. npm does not forward SIGTERM, and cannot forward SIGKILL, so
 * the script would keep running in the background. Does nothing without npm: a script that is started by hand may
 * outlive its terminal.
 * @param {() => void} callback
 */
export function onOrphaned(callback) {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  // Some shells remain as a process between npm and the script.
  const isShell = /^(\S*\/)?(sh|dash|bash|zsh|ash) /.test(commandLine(parent));
  const grandparent = isShell ? parentOf(parent) : null;
  const timer = setInterval(() => {
    if (process.ppid === parent && (!grandparent || parentOf(parent) === grandparent)) return;
    clearInterval(timer);
    callback();
  }, INTERVAL_MS);
  timer.unref();
}
