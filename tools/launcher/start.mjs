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
import { ensurePaymentCredentials } from './services/payment-sandbox.mjs';
import { describeRunning, writePlatformFile } from './report.mjs';
import { openSecrets } from './secrets.mjs';
import { seedAccounts, seedSite } from './seed/seed.mjs';
import { databaseUrl, describeServices } from './services/services.mjs';
import { describeUsageArchive } from './services/usage-archive.mjs';
import { checkPorts, readSettings } from './settings.mjs';

/**
 * `npm start`: runs a whole site on one machine, on loopback, until Ctrl-C.
 *
 * @import { Settings } from './settings.mjs'
 * @import { Secrets } from './secrets.mjs'
 * @import { Description } from './services/services.mjs'
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
// Each service adds a listener while it is being stopped.
setMaxListeners(0, impatience.signal);

/** @type {{ lock?: import('../setup/lock.mjs').Lock, discardData?: () => void, postgres?: import('../postgres/postgres.mjs').Postgres,
 *   services: import('./processes/child-processes.mjs').Service[] }} to be stopped at the end */
const running = { services: [] };

/** @param {string} why */
function requestStop(why) {
  if (control.signal.aborted) return impatience.abort();
  log(`\n${why}: stopping …`);
  control.abort(new StopRequested(why));
}

/** @param {string} name @param {Promise<string>} ended @param {() => string} lastLines @param {string} logFile */
async function watch(name, ended, lastLines, logFile) {
  const how = await ended;
  if (control.signal.aborted) return;
  control.abort(new Error(`${name} has ended (${how}). The last lines of ${logFile}:\n\n${lastLines()}`));
}

/** @param {Settings} settings @param {Secrets} secrets */
async function startDatabase({ dataDir, backupDir, ports }, secrets) {
  const logFile = path.join(dataDir, 'logs/postgres.log');
  const postgres = await startPostgres({
    dataDir: path.join(dataDir, 'postgres'),
    port: ports.postgres,
    password: secrets.databasePassword,
    backupDir: backupDir ?? undefined,
    logFile,
  });
  running.postgres = postgres;
  postgres.pids.forEach((pid) => running.lock?.adopt(pid));
  watch('postgres', postgres.ended, () => lastLinesOf(logFile), logFile);

  const client = new pg.Client({ connectionString: postgres.url });
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

/** @param {Pick<Description, 'name' | 'entry' | 'env'> & { args?: string[] }} description @param {string} dataDir */
function launch({ name, entry, args, env }, dataDir) {
  control.signal.throwIfAborted();
  const logFile = path.join(dataDir, 'logs', `${name}.log`);
  const service = startService({ name, entry, args, env, cwd: root, logFile });
  running.services.push(service);
  if (service.child.pid) running.lock?.adopt(service.child.pid);
  watch(name, service.ended, service.lastLines, logFile);
}

/** @param {Description} description */
async function untilHealthy({ name, url }) {
  let answer = 'no answer';
  for (const deadline = Date.now() + HEALTHY_DEADLINE_MS; Date.now() < deadline;) {
    control.signal.throwIfAborted();
    try {
      const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) });
      answer = `${response.status} ${await response.text()}`;
      if (response.ok) return;
    } catch {
      // The service does not listen yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${name} has not become healthy at ${url}/healthz (${answer}).`);
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
  log(describeRunning({ settings, secrets, services, engineModels }));
}

/** Stops all services at the same time, each of which finishes its work in progress, and then the database. */
async function stopEverything() {
  await Promise.all(
    running.services.map((service) => stopService(service, SERVICE_GRACE_MS, impatience.signal)),
  );
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
