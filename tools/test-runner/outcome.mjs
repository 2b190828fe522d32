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

const LISTED_FILES = 10;

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

/** @param {JestResult} result @param {string} root of the repository @returns {string} a line per file */
export function describeSlowestFiles(result, root) {
  const files = result.testResults
    .map(({ name, startTime, endTime }) => ({ name: path.relative(root, name), millis: endTime - startTime }))
    .sort((one, other) => other.millis - one.millis)
    .slice(0, LISTED_FILES);
  const lines = files.map(({ name, millis }) => `${(millis / 1_000).toFixed(1).padStart(7)} s  ${name}`);
  return ['Slowest files:', ...lines].join('\n');
}
