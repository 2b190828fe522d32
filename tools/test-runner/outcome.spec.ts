import {
  describeCounts,
  describeDuration,
  describeLongFiles,
  describeProofs,
  type JestResult,
} from './outcome.mjs';

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

it('lists the files of over ten seconds, the slowest first', () => {
  expect(describeLongFiles(RESULT, '/repo').split('\n')).toEqual([
    '5 files took over 10 s:',
    '   16.5 s  libs/file-11.spec.ts',
    '   15.0 s  libs/file-10.spec.ts',
    '   13.5 s  libs/file-9.spec.ts',
    '   12.0 s  libs/file-8.spec.ts',
    '   10.5 s  libs/file-7.spec.ts',
  ]);
});

it('lists proofs, those that failed first', () => {
  const proof = { hasPassed: true, counts: '2 passed, 0 failed', version: 'abc' };
  const table = describeProofs([
    { ...proof, file: 'quick', millis: 1_000 },
    { ...proof, file: 'slow', millis: 60_000 },
    { ...proof, file: 'broken', millis: 2_000, hasPassed: false, counts: 'exit code 1' },
  ]);
  expect(table.split('\n').slice(2)).toEqual([
    '| FAILED | 0 min 02 s | exit code 1 | abc | broken |',
    '| passed | 1 min 00 s | 2 passed, 0 failed | abc | slow |',
    '| passed | 0 min 01 s | 2 passed, 0 failed | abc | quick |',
    '',
    '2 files passed, 1 failed, in 1 min 03 s',
  ]);
});

it.each([
  [59_400, '0 min 59 s'],
  [59_600, '1 min 00 s'],
  [247_000, '4 min 07 s'],
])('describes %i ms as %s', (millis, expected) => {
  expect(describeDuration(millis)).toBe(expected);
});
