import { lastCheckSeconds, nextCheckSeconds } from './check-times';

describe('a provider is asked', () => {
  it('soon at first, then ever more seldom, and every ten minutes at least', () => {
    expect([0, 10, 30, 300, 1_800, 86_400].map(nextCheckSeconds)).toEqual([5, 5, 10, 100, 600, 600]);
  });

  it('an hour and a day after a payment has ended', () => {
    expect([0, 600, 3_600, 3_601, 86_400, 1e9].map(lastCheckSeconds)).toEqual([
      3_600,
      3_000,
      82_800,
      82_799,
      null,
      null,
    ]);
  });
});
