import path from 'node:path';

/**
 * What Jest writes with --json, as far as the runner needs it.
 *
 * @typedef {object} JestFileResult
 * @property {string} name absolute path of the test file
 * @property {number} startTime milliseconds since 1970
 * @property {number} endTime milliseconds since 1970
 *
 * @typedef {object} JestResult
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {number} numRuntimeErrorTestSuites test files that could not be loaded
 * @property {JestFileResult[]} testResults
 */

const LONG_MILLIS = 10_000;

/** @param {number} millis @returns {string} such as `4 min 07 s` */
export function describeDuration(millis) {
  const seconds = Math.round(millis / 1_000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/** @param {JestResult} result @returns {string} counts each file that could not be loaded as one failed test */
export function describeCounts(result) {
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  const skipped = result.numPendingTests + result.numTodoTests;
  return `${result.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** @param {number} millis */
const seconds = (millis) => `${(millis / 1_000).toFixed(1).padStart(7)} s`;

/** @param {JestResult} result @param {string} root of the repository @returns {string} a line for each file of over 10 s */
export function describeLongFiles(result, root) {
  const files = result.testResults
    .map(({ name, startTime, endTime }) => ({ name: path.relative(root, name), millis: endTime - startTime }))
    .filter(({ millis }) => millis > LONG_MILLIS)
    .sort((one, other) => other.millis - one.millis);
  const lines = files.map(({ name, millis }) => `${seconds(millis)}  ${name}`);
  return [`${files.length} files took over ${LONG_MILLIS / 1_000} s:`, ...lines].join('\n');
}

/**
 * A test file of the endurance lane that was run.
 *
 * @typedef {object} Proof
 * @property {string} file relative to the root of the repository
 * @property {boolean} hasPassed
 * @property {string} counts of tests; how the process ended if it counted none
 * @property {number} millis
 * @property {string} version of the repository
 */

/** @param {Proof[]} proofs @returns {string} a table: first what failed, then the slowest, and the sums */
export function describeProofs(proofs) {
  const sorted = [...proofs].sort(
    (one, other) => Number(one.hasPassed) - Number(other.hasPassed) || other.millis - one.millis,
  );
  const lines = sorted.map(
    ({ file, hasPassed, counts, millis, version }) =>
      `| ${hasPassed ? 'passed' : 'FAILED'} | ${describeDuration(millis)} | ${counts} | ${version} | ${file} |`,
  );
  const failed = proofs.filter(({ hasPassed }) => !hasPassed).length;
  const all = describeDuration(proofs.reduce((sum, { millis }) => sum + millis, 0));
  return [
    '| | Time | Tests | Version | File |',
    '|---|---|---|---|---|',
    ...lines,
    '',
    `${proofs.length - failed} files passed, ${failed} failed, in ${all}`,
  ].join('\n');
}
