import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { spawnAs } from './account.mjs';
import { passFolder, programEnvironment } from './data-folder.mjs';

/**
 * Stands between PostgreSQL and the process that wanted it. Its channel to that process closes when the process is
 * gone, however it ended, kill -9 included; the database is then shut down, not left behind.
 *
 * Both run in sessions of their own, so that a Ctrl-C in the terminal reaches neither: the database must outlive the
 * services that still settle what is in flight.
 *
 * First message: {@link Order}. Answers: `{started: pid}`, later `{ended: reason}`. Message `stop`: shut down.
 *
 * @typedef {{ postgres: string, folder: string, dataDir: string, settings: Record<string, string>, logFile: string,
 *   account: import('./account.mjs').Account, removeAtEnd: boolean }} Order `removeAtEnd`: when told to stop, not in a crash
 */

/** From polite to not: fast shutdown, immediate shutdown, no shutdown. */
const SHUTDOWN_STEPS = [
  { signal: 'SIGINT', patienceMs: 30_000 },
  { signal: 'SIGQUIT', patienceMs: 10_000 },
  { signal: 'SIGKILL', patienceMs: 10_000 },
];

/** @type {import('node:child_process').ChildProcess | undefined} */
let server;
let stopping = false;

const tell = (message) => process.connected && process.send(message);

function stop() {
  if (stopping) return;
  stopping = true;
  if (!server) process.exit();
  let delayMs = 0;
  for (const { signal, patienceMs } of SHUTDOWN_STEPS) {
    setTimeout(() => server.kill(signal), delayMs);
    delayMs += patienceMs;
  }
}

/** @param {Order} order */
function start({ postgres, folder, dataDir, settings, logFile, account, removeAtEnd }) {
  const passed = passFolder(account, dataDir);
  const log = fs.openSync(logFile, 'a', 0o600);
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  server = spawn(postgres, ['-D', passed.folder, ...args], {
    ...spawnAs(account),
    cwd: folder,
    env: programEnvironment,
    detached: true,
    stdio: ['ignore', log, log, ...passed.descriptors],
  });
  passed.descriptors.forEach(fs.closeSync);
  const end = (reason) => {
    if (removeAtEnd && stopping) fs.rmSync(dataDir, { recursive: true, force: true });
    tell({ ended: reason });
    process.exit();
  };
  server.on('error', (error) => end(error.message));
  server.on('exit', (code, signal) => end(signal ? `killed by ${signal}` : `exit code ${code}`));
  tell({ started: server.pid });
}

process.on('message', (message) => (message === 'stop' ? stop() : start(message)));
process.on('disconnect', stop);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
