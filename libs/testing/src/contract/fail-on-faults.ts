import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractResults, takeContractFaults } from './contract-results';

/** Jest runs this for every test file: a response that is not as documented fails the test. */

const REPORT = process.env.TEST_LOG_FOLDER && join(process.env.TEST_LOG_FOLDER, 'contract-report');

function failOnFaults(): void {
  const faults = takeContractFaults();
  if (faults.length > 0)
    throw new Error(
      'These responses are not as the API document says; if the API has changed, `npm run docs:reference` writes it anew:\n' +
        [...new Set(faults)].join('\n'),
    );
}

afterEach(failOnFaults);
afterAll(() => {
  const { checked } = contractResults();
  if (REPORT && checked > 0) appendFileSync(REPORT, `${checked}\n`);
  failOnFaults();
});
