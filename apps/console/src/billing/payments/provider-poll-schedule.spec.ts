import { nextCheckAfterEndSeconds, nextCheckSeconds } from './provider-poll-schedule';

describe('reconciliation schedule', () => {
  it('checks a pending payment soon at first and every ten minutes at least', () => {
    expect([0, 10, 30, 300, 1_800, 86_400].map(nextCheckSeconds)).toEqual([5, 5, 10, 100, 600, 600]);
  });

  it('checks a payment an hour and a day after its end', () => {
    expect([0, 600, 3_600, 3_601, 86_400, 1e9].map(nextCheckAfterEndSeconds)).toEqual([
      3_600,
      3_000,
      82_800,
      82_799,
      null,
      null,
    ]);
  });
});
