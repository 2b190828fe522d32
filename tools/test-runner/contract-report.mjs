import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The test files append the number of responses that they compared with the API documents. A difference fails its test.
 * @param {string} logFolder
 */
export function describeContract(logFolder) {
  const file = path.join(logFolder, 'contract-report');
  const counts = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
  const checked = counts.reduce((sum, count) => sum + count, 0);
  return `${checked} responses were compared with the API documents`;
}
