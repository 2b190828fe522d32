import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ending, signalGroup, spawnNode } from '../launcher/processes/child-processes.mjs';
import { onOrphaned } from '../launcher/processes/npm-parent.mjs';
import { messageOf } from '../setup/errors.mjs';
import { describeCounts, describeDuration, describeProofs } from './outcome.mjs';

/**
 * The endurance lane: runs each of its test files alone, with a database server of its own, and prints a table at the end.
 * Arguments are those of Jest, paths first. With `--resume` it runs only what has not passed yet: after an interruption, or
 * after a fault was mended. The output of each file, and the logs of the processes of one that failed, are kept in
 * `test-results/endurance`.
 *
 * @import { Proof } from './outcome.mjs'
 */

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const folder = path.join(root, 'test-results/endurance');
const recordFile = path.join(folder, 'proofs.json');
const control = new AbortController();

/** @param {string[]} paths as Jest takes them @returns {Promise<string[]>} the test files, relative to the root */
async function listFiles(paths) {
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  const { stdout } = await promisify(execFile)(process.execPath, [jest, '--listTests', '--json', ...paths], {
    cwd: root,
    env: { ...process.env, TEST_KINDS: 'endurance-spec' },
  });
  /** @type {string[]} */
  const files = JSON.parse(stdout);
  return files.map((file) => path.relative(root, file)).sort();
}

/** @returns {string} the commit, with a mark if something is not committed */
function currentVersion() {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { cwd: root }).toString().trim();
  } catch {
    return 'unknown';
  }
}

/** @returns {Proof[]} those of an earlier run; none without one */
function readRecord() {
  return fs.existsSync(recordFile) ? JSON.parse(fs.readFileSync(recordFile, 'utf8')) : [];
}

/** @param {Proof[]} proofs */
function writeRecord(proofs) {
  fs.writeFileSync(recordFile, JSON.stringify(proofs, null, 2));
}

/** @param {string} file @param {string[]} options of Jest @returns {Promise<Proof>} */
async function prove(file, options) {
  control.signal.throwIfAborted();
  const name = file.replaceAll('/', '-').replace('.endurance-spec.ts', '');
  const logs = path.join(folder, name);
  const resultFile = path.join(folder, `${name}.json`);
  const output = fs.openSync(path.join(folder, `${name}.log`), 'w');
  for (const old of [logs, resultFile]) fs.rmSync(old, { recursive: true, force: true });
  const startedAt = Date.now();
  const run = spawnNode(
    ['tools/test-runner/run.mjs', '--lane', 'endurance', ...options, '--runTestsByPath', file],
    {
      cwd: root,
      env: { ...process.env, TEST_LOG_KEEP: logs, TEST_RESULT_FILE: resultFile },
      stdio: ['ignore', output, output],
    },
  );
  const abort = () => signalGroup(run, 'SIGTERM');
  control.signal.addEventListener('abort', abort);
  const end = await ending(run);
  control.signal.removeEventListener('abort', abort);
  control.signal.throwIfAborted();
  fs.closeSync(output);
  const counts = fs.existsSync(resultFile)
    ? describeCounts(JSON.parse(fs.readFileSync(resultFile, 'utf8')))
    : end;
  fs.rmSync(resultFile, { force: true });
  const hasPassed = run.exitCode === 0;
  if (hasPassed) fs.rmSync(logs, { recursive: true, force: true });
  return { file, hasPassed, counts, millis: Date.now() - startedAt, version: currentVersion() };
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => control.abort(new Error(`Stopped by ${signal}. Go on with --resume.`)));
}
onOrphaned(() => control.abort(new Error('npm has ended.')));

const isResumed = process.argv.includes('--resume');
const jestArguments = process.argv.slice(2).filter((argument) => argument !== '--resume');
const firstOption = jestArguments.findIndex((argument) => argument.startsWith('-'));
const paths = firstOption === -1 ? jestArguments : jestArguments.slice(0, firstOption);
const options = jestArguments.slice(paths.length);
try {
  fs.mkdirSync(folder, { recursive: true });
  const files = await listFiles(paths);
  if (files.length === 0) throw new Error('No endurance test has such a path.');
  const isDone = (/** @type {Proof} */ { file, hasPassed }) =>
    !files.includes(file) || (isResumed && hasPassed);
  writeRecord(readRecord().filter(isDone));
  for (const file of files) {
    if (readRecord().some((proof) => proof.file === file)) continue;
    const proof = await prove(file, options);
    writeRecord([...readRecord(), proof]);
    console.log(`${proof.hasPassed ? 'passed' : 'FAILED'}  ${describeDuration(proof.millis)}  ${file}`);
  }
  const proofs = readRecord().filter(({ file }) => files.includes(file));
  console.log(`\n${describeProofs(proofs)}\n\nOutput and logs: ${path.relative(process.cwd(), folder)}`);
  process.exitCode = proofs.every(({ hasPassed }) => hasPassed) ? 0 : 1;
} catch (error) {
  console.error(`\n${messageOf(error)}\n`);
  process.exitCode = 1;
}
