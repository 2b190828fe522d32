import { setMaxListeners } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startPostgres } from '../postgres/postgres.mjs';
import { messageOf } from '../setup/errors.mjs';
import { listEngineModels } from './seed/api-client.mjs';
import { ensureBuilt } from './build.mjs';
import { lastLinesOf, runNode, startService, stopService } from './processes/child-processes.mjs';
import { claimDataDir } from './data-dir.mjs';
import { onOrphaned } from './processes/npm-parent.mjs';
import { keepRunning } from './processes/supervision.mjs';
import { ensurePaymentCredentials } from './services/sandboxes.mjs';
import { describeRunning, writePlatformFile } from './report.mjs';
import { adviceOnPassword, openSecrets } from './secrets.mjs';
import { seedAccounts, seedSite } from './seed/seed.mjs';
import { databaseUrl, describeServices, describeUsageArchive } from './services/services.mjs';
import { checkPorts, readSettings } from './settings.mjs';

/**
 * `npm start`: runs a whole site on one machine, on loopback, until Ctrl-C.
 *
 * @import { Settings } from './settings.mjs'
 * @import { Secrets } from './secrets.mjs'
 * @import { Description } from './services/services.mjs'
 * @import { Child, Run } from './processes/supervision.mjs'
 */

const HEALTHY_DEADLINE_MS = 60_000;
const SERVICE_GRACE_MS = 15_000;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const log = (/** @type {string} */ line) => console.log(line);

/** The reason of an abort that is no failure. */
class StopRequested extends Error {}

const control = new AbortController();
/** Aborted by the second Ctrl-C, to kill what does not stop on its own. */
const impatience = new AbortController();
// Each child adds listeners.
setMaxListeners(0, control.signal, impatience.signal);

/**
 * To be stopped at the end. `services`: the last run of each, by name. `supervisions` resolve when the site stops.
 * @type {{ lock?: import('../setup/lock.mjs').Lock, discardData?: () => void, postgres?: import('../postgres/postgres.mjs').Postgres,
 *   services: Map<string, import('./processes/child-processes.mjs').Service>, supervisions: Promise<void>[], hasStarted: boolean }}
 */
const running = { services: new Map(), supervisions: [], hasStarted: false };

/** @param {string} why */
function requestStop(why) {
  if (control.signal.aborted) return impatience.abort();
  log(`\n${why}: stopping …`);
  control.abort(new StopRequested(why));
}

/** Notes a child, for which the next start waits if this process is killed. @param {number | undefined} pid */
function adopt(pid) {
  try {
    if (pid) running.lock?.adopt(pid);
  } catch (error) {
    log(`The lock of the data folder does not name the process ${pid}: ${messageOf(error)}`);
  }
}

/** @param {Child} child @param {Run} run */
function supervise(child, run) {
  const circumstances = { signal: control.signal, log, hasStarted: () => running.hasStarted };
  running.supervisions.push(keepRunning(child, run, circumstances).catch((error) => control.abort(error)));
}

/** @param {Settings} settings @param {Secrets} secrets @returns {Child} */
function describeDatabase({ dataDir, backupDir, ports }, { databasePassword }) {
  const logFile = path.join(dataDir, 'logs/postgres.log');
  return {
    name: 'postgres',
    logFile,
    async start() {
      const offset = fs.statSync(logFile, { throwIfNoEntry: false })?.size;
      const postgres = await startPostgres({
        dataDir: path.join(dataDir, 'postgres'),
        port: ports.postgres,
        password: databasePassword,
        passwordAdvice: adviceOnPassword(dataDir),
        backupDir: backupDir ?? undefined,
        logFile,
        signal: control.signal,
      });
      running.postgres = postgres;
      postgres.pids.forEach(adopt);
      const lastLines = () => lastLinesOf(logFile, offset);
      return { ended: postgres.ended, lastLines, untilHealthy: () => Promise.resolve() };
    },
  };
}

/** @param {Settings} settings @param {Secrets} secrets */
async function startDatabase(settings, secrets) {
  const database = describeDatabase(settings, secrets);
  supervise(database, await database.start());

  const client = new pg.Client({
    connectionString: databaseUrl('postgres', secrets.databasePassword, settings.ports.postgres, 'postgres'),
  });
  await client.connect();
  const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = 'platform'");
  if (rowCount === 0) await client.query('CREATE DATABASE platform');
  await client.end();
}

/** @param {Settings} settings @param {Secrets} secrets */
function migrate({ ports }, { databasePassword, rolePasswords }) {
  const passwords = Object.entries(rolePasswords).map(([role, password]) => [
    `${role.toUpperCase()}_DATABASE_PASSWORD`,
    password,
  ]);
  const DATABASE_URL = databaseUrl('postgres', databasePassword, ports.postgres);
  const env = { ...process.env, ...Object.fromEntries(passwords), DATABASE_URL };
  return runNode(['dist/libs/database/src/migrate.js'], { cwd: root, env, signal: control.signal });
}

/**
 * @param {Pick<Description, 'name' | 'entry' | 'env'> & { url?: string, args?: string[] }} description without a URL a process is
 *   healthy as long as it runs
 * @param {string} dataDir
 */
function launch({ name, entry, args, env, url }, dataDir) {
  const logFile = path.join(dataDir, 'logs', `${name}.log`);
  const start = () => {
    control.signal.throwIfAborted();
    const service = startService({ name, entry, args, env, cwd: root, logFile });
    running.services.set(name, service);
    adopt(service.child.pid);
    /** @param {AbortSignal} signal */
    const untilHealthy = (signal) => (url ? untilOk(url, signal) : Promise.resolve());
    return { ended: service.ended, lastLines: service.lastLines, untilHealthy };
  };
  supervise({ name, logFile, start }, start());
}

/** @param {string} url @param {AbortSignal} signal @param {(answer: string) => void} [onFault] gets an answer that is not 200 */
async function untilOk(url, signal, onFault) {
  for (;;) {
    signal.throwIfAborted();
    try {
      const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) });
      const answer = `${response.status} ${await response.text()}`;
      if (response.ok) return;
      onFault?.(answer);
    } catch {
      // The service does not listen yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** @param {Description} description */
async function untilHealthy({ name, url }) {
  let last = 'no answer';
  const deadline = AbortSignal.timeout(HEALTHY_DEADLINE_MS);
  try {
    await untilOk(url, AbortSignal.any([control.signal, deadline]), (answer) => (last = answer));
  } catch (cause) {
    control.signal.throwIfAborted();
    throw new Error(`${name} has not become healthy at ${url}/healthz (${last}).`, { cause });
  }
}

/** @param {Description[]} services @param {string} wanted name @returns {Description} */
function findService(services, wanted) {
  const service = services.find(({ name }) => name === wanted);
  if (!service) throw new Error(`There is no service ${wanted}.`);
  return service;
}

async function start() {
  const { signal } = control;
  const settings = readSettings(process.env, root);
  const claim = await claimDataDir(settings.dataDir, { signal, log });
  running.lock = claim.lock;
  // Nothing of a start that fails before the database exists is worth keeping.
  running.discardData = claim.discard;
  const { secrets, save } = openSecrets(settings);
  await checkPorts(settings);
  const engineModels = settings.engine && (await listEngineModels(settings.engine, signal));
  await ensureBuilt(root, { signal, log });
  ensurePaymentCredentials({ settings, secrets, save });
  if (settings.mailFolder) fs.mkdirSync(settings.mailFolder, { recursive: true, mode: 0o700 });

  log(`Starting the site ${settings.site} with its data in ${settings.dataDir} …`);
  await startDatabase(settings, secrets);
  running.discardData = undefined;
  await migrate(settings, secrets);
  const services = describeServices(settings, secrets, engineModels);
  const context = {
    ...{ root, settings, secrets, save, engineModels, signal },
    console: findService(services, 'console'),
    memo: findService(services, 'memo'),
  };
  await seedAccounts(context);
  services.forEach((description) => launch(description, settings.dataDir));
  if (settings.archivesUsage) launch(describeUsageArchive(settings, secrets), settings.dataDir);
  await Promise.all(services.map(untilHealthy));
  await seedSite(context);
  writePlatformFile({ settings, secrets, services, engineModels });
  running.hasStarted = true;
  log(describeRunning({ settings, secrets, services, engineModels }));
}

/** Stops all services at the same time, each of which finishes its work in progress, and then the database. */
async function stopEverything() {
  const options = { graceMs: SERVICE_GRACE_MS, impatience: impatience.signal, log };
  const stops = [...running.services.values()].map((service) => stopService(service, options));
  // A database that is being started again is stopped by its supervision.
  await Promise.all([...stops, ...running.supervisions]);
  await running.postgres?.stop();
  // Before the lock is released, so that no other start can use the folder.
  running.discardData?.();
  running.lock?.release();
}

for (const [signal, why] of Object.entries({
  SIGINT: 'Ctrl-C',
  SIGTERM: 'SIGTERM',
  SIGHUP: 'Terminal closed',
})) {
  process.on(signal, () => requestStop(why));
}
// When the terminal is closed, writing to it fails. That must not interrupt the shutdown.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
onOrphaned(() => requestStop('npm has ended'));

try {
  await start();
  if (!control.signal.aborted)
    await new Promise((resolve) => control.signal.addEventListener('abort', resolve));
  control.signal.throwIfAborted();
} catch (error) {
  const reason = control.signal.aborted ? control.signal.reason : error;
  if (!(reason instanceof StopRequested)) {
    console.error(`\n${messageOf(reason)}\n`);
    process.exitCode = 1;
    control.abort(reason);
  }
}
await stopEverything();
