import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { logOutput, RotatingLog } from '../setup/rotating-log.mjs';
import { spawnAs } from './account.mjs';
import { BACKUP_FOLDER } from './backup-folder.mjs';
import { passFolder, programEnvironment } from './data-folder.mjs';

/**
 * The parent process of PostgreSQL. When the process that started it ends, even by kill -9, its channel closes, and it
 * shuts PostgreSQL down.
 *
 * The supervisor and PostgreSQL run in their own sessions, so that Ctrl-C in the terminal reaches neither: the services
 * still need the database to finish their work in progress.
 *
 * The first message is a {@link StartMessage}. The message `stop` shuts PostgreSQL down. Sends {@link Message}s.
 *
 * @typedef {{ postgres: string, folder: string, dataDir: string, backupDir?: string, settings: Record<string, string>,
 *   logFile: string, account: import('./account.mjs').Account, removeAtEnd: boolean }} StartMessage `backupDir`: stands in
 *   settings where they have BACKUP_FOLDER. `removeAtEnd`: removes the data folder after a requested stop, but not after a
 *   crash, and keeps the whole log
 * @typedef {{ started: number | undefined } | { ended: string }} Message the server's process id, later the reason of its
 *   end
 */

/**
 * Fast shutdown, immediate shutdown, kill.
 * @type {{ signal: NodeJS.Signals, patienceMs: number }[]}
 */
const SHUTDOWN_STEPS = [
  { signal: 'SIGINT', patienceMs: 30_000 },
  { signal: 'SIGQUIT', patienceMs: 10_000 },
  { signal: 'SIGKILL', patienceMs: 10_000 },
];

/** @type {import('node:child_process').ChildProcess | undefined} */
let server;
let stopping = false;

/** @param {Message} message */
const send = (message) => process.connected && process.send?.(message);

function stop() {
  if (stopping) return;
  stopping = true;
  if (!server) process.exit();
  let delayMs = 0;
  for (const { signal, patienceMs } of SHUTDOWN_STEPS) {
    setTimeout(() => server?.kill(signal), delayMs);
    delayMs += patienceMs;
  }
}

/** @param {StartMessage} message */
function start({ postgres, folder, dataDir, backupDir, settings, logFile, account, removeAtEnd }) {
  const data = passFolder(account, dataDir);
  const backup = backupDir
    ? passFolder(account, backupDir, data.descriptors)
    : { folder: '', descriptors: [] };
  const args = Object.entries(settings).flatMap(([name, value]) => [
    '-c',
    `${name}=${value.replaceAll(BACKUP_FOLDER, () => backup.folder)}`,
  ]);
  const descriptors = [...data.descriptors, ...backup.descriptors];
  server = spawn(postgres, ['-D', data.folder, ...args], {
    ...spawnAs(account),
    cwd: folder,
    env: programEnvironment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...descriptors],
  });
  const untilLogged = logOutput(server, new RotatingLog(logFile, removeAtEnd ? Infinity : undefined));
  descriptors.forEach(fs.closeSync);
  /** @param {string} reason */
  const end = async (reason) => {
    await untilLogged();
    if (removeAtEnd && stopping) fs.rmSync(dataDir, { recursive: true, force: true });
    send({ ended: reason });
    process.exit();
  };
  server.on('error', (error) => end(error.message));
  server.on('exit', (code, signal) => end(signal ? `killed by ${signal}` : `exit code ${code}`));
  send({ started: server.pid });
}

process.on('message', (/** @type {'stop' | StartMessage} */ message) =>
  message === 'stop' ? stop() : start(message),
);
process.on('disconnect', stop);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
