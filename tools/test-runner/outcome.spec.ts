import { describeCounts, describeDuration, describeSlowestFiles, type JestResult } from './outcome.mjs';

const RESULT: JestResult = {
  numPassedTests: 12,
  numFailedTests: 1,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 1,
  testResults: Array.from({ length: 12 }, (_, index) => ({
    name: `/repo/libs/file-${index}.spec.ts`,
    startTime: 1_000,
    endTime: 1_000 + index * 1_500,
  })),
};

it('counts a file that could not be loaded as a failed test', () => {
  expect(describeCounts(RESULT)).toBe('12 passed, 2 failed');
});

it('names skipped tests', () => {
  expect(describeCounts({ ...RESULT, numPendingTests: 2, numTodoTests: 1 })).toBe(
    '12 passed, 2 failed, 3 skipped',
  );
});

it('lists the ten slowest files, the slowest first', () => {
  const lines = describeSlowestFiles(RESULT, '/repo').split('\n');
  expect(lines).toHaveLength(11);
  expect(lines[1]).toBe('   16.5 s  libs/file-11.spec.ts');
  expect(lines[10]).toBe('    3.0 s  libs/file-2.spec.ts');
});

it.each([
  [59_400, '0 min 59 s'],
  [59_600, '1 min 00 s'],
  [247_000, '4 min 07 s'],
])('describes %i ms as %s', (millis, expected) => {
  expect(describeDuration(millis)).toBe(expected);
});
