import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from '../launcher/build.mjs';
import { ending, signalGroup, spawnNode } from '../launcher/children.mjs';
import { onOrphaned } from '../launcher/parent.mjs';
import { startPostgres } from '../postgres/postgres.mjs';
import { describeSearch, searchLogs } from './secret-search.mjs';

/**
 * `npm test`: every project's tests against the built product and a database server of their own, which is gone
 * afterwards. Arguments go to Jest: `npm test -- --selectProjects wallet`.
 *
 * Servers that tests start for themselves keep their data in TEST_DATA_FOLDER, beside that one's.
 * Everything that the tests start logs into a folder, and the tests note there every secret they use: a run in which
 * one of these turns up in one of those has failed. TEST_LOG_KEEP=<folder> keeps the logs.
 */

const JEST_GRACE_MS = 20_000;
/** Linux keeps it in memory: a database is copied there in a tenth of the time that a disk needs. */
const MEMORY_FOLDER = '/dev/shm';
/** More than a run needs. A container has 64 MB unless told. */
const MIN_FREE_BYTES = 4 * 2 ** 30;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const control = new AbortController();

/** @param {string[]} args @param {NodeJS.ProcessEnv} env @returns {Promise<number>} Jest's exit code */
async function runJest(args, env) {
  control.signal.throwIfAborted();
  const jest = spawnNode(['node_modules/jest/bin/jest.js', ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  control.signal.addEventListener('abort', () => {
    signalGroup(jest, 'SIGTERM');
    setTimeout(() => signalGroup(jest, 'SIGKILL'), JEST_GRACE_MS).unref();
  });
  await ending(jest);
  return jest.exitCode ?? 1;
}

/** A file that could not even be loaded counts as one failed test: it has hidden at least one. */
function describeOutcome(resultFile) {
  if (!fs.existsSync(resultFile)) return null;
  const result = JSON.parse(fs.readFileSync(resultFile, 'utf8'));
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  const skipped = result.numPendingTests + result.numTodoTests;
  return `${result.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** @param {string} folder for everything that is gone afterwards @returns {string} a new one for the logs */
function makeLogFolder(folder) {
  const parent = process.env.TEST_LOG_KEEP || folder;
  fs.mkdirSync(parent, { recursive: true });
  return fs.mkdtempSync(path.join(parent, 'logs-'));
}

/** @returns {string} a new folder for a server whose data need not outlive the machine */
function makeDataFolder() {
  const { bavail, bsize } = fs.existsSync(MEMORY_FOLDER)
    ? fs.statfsSync(MEMORY_FOLDER)
    : { bavail: 0, bsize: 0 };
  const parent = bavail * bsize >= MIN_FREE_BYTES ? MEMORY_FOLDER : os.tmpdir();
  return fs.mkdtempSync(path.join(parent, 'platform-test-'));
}

/**
 * @param {string} folder for everything that is gone afterwards
 * @param {string} dataFolder
 * @param {string} logFolder
 * @returns {Promise<number>} exit code
 */
async function runTests(folder, dataFolder, logFolder) {
  await ensureBuilt(root, { signal: control.signal, log: console.log });
  const postgres = await startPostgres({
    dataDir: path.join(dataFolder, 'postgres'),
    password: randomBytes(16).toString('hex'),
    ephemeral: true,
    logFile: path.join(logFolder, 'postgres.log'),
  });
  const resultFile = path.join(folder, 'jest.json');
  const args = ['--ci', '--json', `--outputFile=${resultFile}`, ...process.argv.slice(2)];
  try {
    const exitCode = await runJest(args, {
      TEST_DATABASE_URL: postgres.url,
      TEST_DATA_FOLDER: dataFolder,
      TEST_LOG_FOLDER: logFolder,
    });
    control.signal.throwIfAborted();
    const outcome = describeOutcome(resultFile);
    // Jest has said itself why it ran nothing.
    if (outcome) console.log(`\n${outcome}`);
    return exitCode;
  } finally {
    await postgres.stop();
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => control.abort(new Error(`Stopped by ${signal}.`)));
}
onOrphaned(() => control.abort(new Error('npm has ended.')));

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'platform-test-'));
const dataFolder = makeDataFolder();
try {
  const logFolder = makeLogFolder(folder);
  process.exitCode = await runTests(folder, dataFolder, logFolder);
  const search = searchLogs(logFolder);
  console.log(describeSearch(search));
  const isWholeRun = process.argv.length === 2;
  const isEmpty = search.secrets === 0 || search.bytes === 0;
  if (isWholeRun && isEmpty)
    console.error('Nothing was searched: the tests have kept no secrets, or no logs.');
  if (search.findings.length > 0 || (isWholeRun && isEmpty)) process.exitCode = 1;
} catch (error) {
  console.error(`\n${error.message}\n`);
  process.exitCode = 1;
} finally {
  for (const made of [folder, dataFolder]) fs.rmSync(made, { recursive: true, force: true });
}
