import { setMaxListeners } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startPostgres } from '../postgres/postgres.mjs';
import { listEngineModels } from './api.mjs';
import { ensureBuilt } from './build.mjs';
import { lastLinesOf, runNode, startService, stopService } from './children.mjs';
import { claimDataDir } from './data-dir.mjs';
import { onOrphaned } from './parent.mjs';
import { ensurePaymentCredentials } from './payments.mjs';
import { describeRunning, writePlatformFile } from './report.mjs';
import { openSecrets } from './secrets.mjs';
import { seedAccounts, seedSite } from './seed.mjs';
import { databaseUrl, describeServices } from './services.mjs';
import { checkPorts, readSettings } from './settings.mjs';

/** `npm start`: a whole site on one machine, on loopback, until Ctrl-C. */

const HEALTHY_DEADLINE_MS = 60_000;
const SERVICE_GRACE_MS = 15_000;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const log = (line) => console.log(line);

/** Thrown into whatever is going on when somebody wants the run to end; no failure. */
class StopRequested extends Error {}

const control = new AbortController();
const impatience = new AbortController();
// Every service that is being stopped listens to it.
setMaxListeners(0, impatience.signal);

/** @type {{ lock?: import('../setup/lock.mjs').Lock, postgres?: import('../postgres/postgres.mjs').Postgres,
 *   services: import('./children.mjs').Service[] }} what has to be stopped at the end */
const running = { services: [] };

function requestStop(why) {
  if (control.signal.aborted) return impatience.abort();
  log(`\n${why}: stopping …`);
  control.abort(new StopRequested(why));
}

/** @param {string} name @param {Promise<string>} ended @param {() => string} lastLines @param {string} logFile */
async function watch(name, ended, lastLines, logFile) {
  const how = await ended;
  if (control.signal.aborted) return;
  control.abort(new Error(`${name} has ended (${how}). Its last words, from ${logFile}:\n\n${lastLines()}`));
}

async function startDatabase({ dataDir, ports }, secrets) {
  const logFile = path.join(dataDir, 'logs/postgres.log');
  const postgres = await startPostgres({
    dataDir: path.join(dataDir, 'postgres'),
    port: ports.postgres,
    password: secrets.databasePassword,
    logFile,
  });
  running.postgres = postgres;
  postgres.pids.forEach((pid) => running.lock.adopt(pid));
  watch('postgres', postgres.ended, () => lastLinesOf(logFile), logFile);

  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = 'platform'");
  if (rowCount === 0) await client.query('CREATE DATABASE platform');
  await client.end();
}

function migrate({ ports }, { databasePassword, rolePasswords }) {
  const passwords = Object.entries(rolePasswords).map(([role, password]) => [
    `${role.toUpperCase()}_DATABASE_PASSWORD`,
    password,
  ]);
  const DATABASE_URL = databaseUrl('postgres', databasePassword, ports.postgres);
  const env = { ...process.env, ...Object.fromEntries(passwords), DATABASE_URL };
  return runNode(['dist/libs/database/src/migrate.js'], { cwd: root, env, signal: control.signal });
}

/** @param {import('./services.mjs').Description} description @param {string} dataDir */
function launch({ name, entry, env }, dataDir) {
  control.signal.throwIfAborted();
  const logFile = path.join(dataDir, 'logs', `${name}.log`);
  const service = startService({ name, entry, env, cwd: root, logFile });
  running.services.push(service);
  if (service.child.pid) running.lock.adopt(service.child.pid);
  watch(name, service.ended, service.lastLines, logFile);
}

/** @param {import('./services.mjs').Description} description */
async function untilHealthy({ name, url }) {
  let answer = 'no answer';
  for (const deadline = Date.now() + HEALTHY_DEADLINE_MS; Date.now() < deadline;) {
    control.signal.throwIfAborted();
    try {
      const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) });
      answer = `${response.status} ${await response.text()}`;
      if (response.ok) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${name} has not become healthy at ${url}/healthz (${answer}).`);
}

async function start() {
  const { signal } = control;
  const settings = readSettings(process.env, root);
  running.lock = await claimDataDir(settings.dataDir, { signal, log });
  const { secrets, save } = openSecrets(settings);
  await checkPorts(settings.ports);
  const engineModels = settings.engine && (await listEngineModels(settings.engine, signal));
  await ensureBuilt(root, { signal, log });
  ensurePaymentCredentials({ settings, secrets, save });

  log(`Starting the site ${settings.site} with its data in ${settings.dataDir} …`);
  await startDatabase(settings, secrets);
  await migrate(settings, secrets);
  const services = describeServices(settings, secrets, engineModels);
  const service = (wanted) => services.find(({ name }) => name === wanted);
  const [consoleService, memo] = [service('console'), service('memo')];
  const context = { root, settings, secrets, save, engineModels, signal, console: consoleService, memo };
  await seedAccounts(context);
  services.forEach((description) => launch(description, settings.dataDir));
  await Promise.all(services.map(untilHealthy));
  await seedSite(context);
  writePlatformFile({ settings, secrets, services, engineModels });
  log(describeRunning({ settings, secrets, services, engineModels }));
}

/** Services first, side by side, each finishing what it is at; the database after the last of them. */
async function stopEverything() {
  await Promise.all(
    running.services.map((service) => stopService(service, SERVICE_GRACE_MS, impatience.signal)),
  );
  await running.postgres?.stop();
  running.lock?.release();
}

for (const [signal, why] of Object.entries({
  SIGINT: 'Ctrl-C',
  SIGTERM: 'SIGTERM',
  SIGHUP: 'Terminal closed',
})) {
  process.on(signal, () => requestStop(why));
}
// With the terminal gone there is nowhere to print to, which must not keep anything from being stopped.
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
    console.error(`\n${reason.message}\n`);
    process.exitCode = 1;
    control.abort(reason);
  }
}
await stopEverything();
