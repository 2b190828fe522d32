import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const LIBRARY = join(__dirname, '../../../dist/libs/testing/src');

it('benchmarks can load the fixtures of the tests without a test runner', () => {
  const { status, stderr } = spawnSync(process.execPath, ['-e', `require(${JSON.stringify(LIBRARY)})`], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});
