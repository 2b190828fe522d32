import { randomBytes } from 'node:crypto';
import fs, { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from '../launcher/build.mjs';
import { ending, signalGroup, spawnNode } from '../launcher/processes/child-processes.mjs';
import { onOrphaned } from '../launcher/processes/npm-parent.mjs';
import { startPostgres } from '../postgres/postgres.mjs';
import { messageOf } from '../setup/errors.mjs';
import { judgeTestRun } from '../statements/judgement.mjs';
import { describeCounts, describeDuration, describeLongFiles } from './outcome.mjs';
import { describeSearch, searchLogs } from './secret-search.mjs';

/**
 * Runs the tests of a lane in all projects, against the built product and a temporary PostgreSQL server: `npm test` those
 * that prove the behaviour (`*.spec.ts`, `*.int-spec.ts`), `npm run test:smoke` those over processes and outside servers
 * that every change has to pass (`*.smoke-spec.ts`), and `endurance.mjs` each of the long ones (`*.endurance-spec.ts`). Arguments go to Jest: `npm test -- --selectProjects wallet`.
 *
 * PostgreSQL servers that tests start themselves keep their data in TEST_DATA_FOLDER.
 * `npm test` fails if a test has run a statement across accounts that is not known (tools/statements). Statements of processes
 * that tests start are not seen.
 * All processes that the tests start write their logs to TEST_LOG_FOLDER, and the tests write every secret that they use to
 * a file there. The run fails if a secret occurs in a log. TEST_LOG_KEEP=<folder> keeps the logs,
 * TEST_RESULT_FILE=<file> what Jest writes with --json.
 */

const JEST_GRACE_MS = 20_000;
/**
 * Of Jest, whose workers inherit them. Modules and answers of each file fill the default of 16 MB at once: a sixth of the processor time.
 * The endurance lane measures how long services hold their thread, and has the garbage collection of a service.
 */
const NODE_OPTIONS = ['--max-semi-space-size=64'];
/** In memory on Linux: copying a database takes a tenth of the time that it takes on a disk. */
const MEMORY_FOLDER = '/dev/shm';
/** More than a run needs. The default in a container is 64 MB. */
const MIN_FREE_BYTES = 4 * 2 ** 30;

/** The kinds of test files of each lane. @type {Record<string, string>} */
const LANES = { tests: 'spec,int-spec', smoke: 'smoke-spec', endurance: 'endurance-spec' };

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const control = new AbortController();
const { lane, jestArguments } = readArguments(process.argv.slice(2));

/** @param {string[]} args `--lane <name>` may come first */
function readArguments(args) {
  return args[0] === '--lane'
    ? { lane: String(args[1]), jestArguments: args.slice(2) }
    : { lane: 'tests', jestArguments: args };
}

/** @param {string[]} args @param {NodeJS.ProcessEnv} env @returns {Promise<number>} Jest's exit code */
async function runJest(args, env) {
  control.signal.throwIfAborted();
  const options = lane === 'endurance' ? [] : NODE_OPTIONS;
  const jest = spawnNode([...options, 'node_modules/jest/bin/jest.js', ...args], {
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

/** @param {string} resultFile @param {number} startedAt milliseconds since 1970 */
function printOutcome(resultFile, startedAt) {
  // Without a result file Jest has printed why it ran nothing.
  if (!fs.existsSync(resultFile)) return;
  /** @type {import('./outcome.mjs').JestResult} */
  const result = JSON.parse(fs.readFileSync(resultFile, 'utf8'));
  console.log(`\n${describeLongFiles(result, root)}`);
  console.log(`Wall time: ${describeDuration(Date.now() - startedAt)}`);
  console.log(`\n${describeCounts(result)}`);
}

/** @param {string} folder that is removed at the end @returns {string} a new folder for the logs */
function makeLogFolder(folder) {
  const parent = process.env.TEST_LOG_KEEP || folder;
  fs.mkdirSync(parent, { recursive: true });
  return fs.mkdtempSync(path.join(parent, 'logs-'));
}

/** @returns {string} a new folder for the data of PostgreSQL */
function makeDataFolder() {
  const { bavail, bsize } = fs.existsSync(MEMORY_FOLDER)
    ? fs.statfsSync(MEMORY_FOLDER)
    : { bavail: 0, bsize: 0 };
  const parent = bavail * bsize >= MIN_FREE_BYTES ? MEMORY_FOLDER : os.tmpdir();
  return fs.mkdtempSync(path.join(parent, 'platform-test-'));
}

/**
 * @param {string} folder that is removed at the end
 * @param {string} dataFolder
 * @param {string} logFolder
 * @returns {Promise<number>} exit code
 */
async function runTests(folder, dataFolder, logFolder) {
  const startedAt = Date.now();
  await ensureBuilt(root, { signal: control.signal, log: console.log });
  const postgres = await startPostgres({
    dataDir: path.join(dataFolder, 'postgres'),
    password: randomBytes(16).toString('hex'),
    ephemeral: true,
    logFile: path.join(logFolder, 'postgres.log'),
  });
  const resultFile = process.env.TEST_RESULT_FILE || path.join(folder, 'jest.json');
  const args = ['--ci', '--json', `--outputFile=${resultFile}`, ...jestArguments];
  try {
    const exitCode = await runJest(args, {
      TEST_KINDS: LANES[lane],
      TEST_DATABASE_URL: postgres.url,
      TEST_DATA_FOLDER: dataFolder,
      TEST_LOG_FOLDER: logFolder,
    });
    control.signal.throwIfAborted();
    printOutcome(resultFile, startedAt);
    if (lane !== 'tests') return exitCode;
    const statements = await describeStatements(logFolder, postgres.url);
    console.log(statements.text);
    return statements.isFault ? 1 : exitCode;
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
  console.log(describeContract(logFolder));
  const isWholeRun = jestArguments.length === 0;
  const isEmpty = search.secrets === 0 || search.bytes === 0;
  if (isWholeRun && isEmpty)
    console.error('No logs were searched: the tests have recorded no secrets, or written no logs.');
  if (search.findings.length > 0 || (isWholeRun && isEmpty)) process.exitCode = 1;
} catch (error) {
  console.error(`\n${messageOf(error)}\n`);
  process.exitCode = 1;
} finally {
  for (const made of [folder, dataFolder]) fs.rmSync(made, { recursive: true, force: true });
}

/**
 * The test files append the number of responses that they compared with the API documents. A difference fails its test.
 * @param {string} logFolder
 */
function describeContract(logFolder) {
  const file = path.join(logFolder, 'contract-report');
  const counts = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
  const checked = counts.reduce((sum, count) => sum + count, 0);
  return `${checked} responses were compared with the API documents`;
}

/**
 * @param {string} logFolder
 * @param {string} postgresUrl of the superuser
 * @returns {Promise<{ text: string, isFault: boolean }>}
 */
async function describeStatements(logFolder, postgresUrl) {
  const judgement = await judgeTestRun(logFolder, postgresUrl);
  if (judgement === null) return { text: '0 statements were judged', isFault: false };
  const { statements, crossings, faults } = judgement;
  const text = `${statements} statements use tables of accounts; those of ${crossings.size} places cross accounts`;
  if (faults.length === 0) return { text, isFault: false };
  const list = faults.map((fault) => `  ${fault}`).join('\n');
  return {
    text: `${text}, of which these are not in tools/statements/crossing-statements.mjs:\n${list}`,
    isFault: true,
  };
}
