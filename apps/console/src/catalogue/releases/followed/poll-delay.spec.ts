import fc from 'fast-check';
import { pollDelaySeconds, retryDelaySeconds } from './release-follower';

it('doubles the delay after each failure up to an hour, with up to half subtracted at random', () => {
  expect([1, 2, 3, 4, 5, 50, 5_000].map((failures) => retryDelaySeconds(failures, 300, 1))).toEqual([
    300, 600, 1_200, 2_400, 3_600, 3_600, 3_600,
  ]);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000 }),
      fc.integer({ min: 10, max: 86_400 }),
      (failures, poll) => {
        const longest = retryDelaySeconds(failures, poll, 1);
        const seconds = retryDelaySeconds(failures, poll);
        expect(seconds).toBeGreaterThanOrEqual(longest / 2);
        expect(seconds).toBeLessThanOrEqual(longest);
      },
    ),
  );
});

it('waits as long as the code host asks, but at most a day', () => {
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);
  expect(pollDelaySeconds(300, null)).toBe(300);
  expect(pollDelaySeconds(300, inSeconds(-5_000))).toBe(300);
  expect(pollDelaySeconds(300, inSeconds(20))).toBe(300);
  expect(pollDelaySeconds(300, inSeconds(5_000))).toBeGreaterThan(4_900);
  expect(pollDelaySeconds(300, inSeconds(10 ** 9))).toBe(86_400);
});
