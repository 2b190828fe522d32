import { UpstreamLoad } from './chooser';
import { OwnLimits } from './own-limits.fixture';

/** A server of virtual time. Every number follows from the seed. */
const STEP_MILLIS = 10;
const CALL_MILLIS = 1_000;
const SLOTS = 30;
const SMALL_ACCOUNTS = 50;

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Caller {
  id: string;
  weight: () => number;
  callsPerSecond: number;
}

const caller = (id: string, callsPerSecond: number, weight = 1): Caller => ({
  id,
  weight: () => weight,
  callsPerSecond,
});

/** Calls a server with a limit from the second `from` on. Returns the share of refused calls, and how many ran on average, by caller. */
function simulate(callers: Caller[], { seconds = 60, from = 20, slots = SLOTS } = {}) {
  const random = randomOf(42);
  const load = new UpstreamLoad();
  load.limits = new OwnLimits(load, { running: slots });
  const running: { end: number; close: (now: number) => void }[] = [];
  const counts = new Map(callers.map(({ id }) => [id, { calls: 0, refused: 0 }]));
  for (let now = STEP_MILLIS; now < seconds * 1_000; now += STEP_MILLIS) {
    while (running[0] && running[0].end <= now) running.shift()!.close(now);
    for (const one of callers) {
      if (random() >= (one.callsPerSecond * STEP_MILLIS) / 1_000) continue;
      const count = counts.get(one.id)!;
      const isCounted = now >= from * 1_000;
      if (isCounted) count.calls++;
      const refusal = load.refusalOf(now, one);
      if (refusal) {
        if (isCounted) count.refused++;
        if (refusal === 'full') load.refused(now, one);
        continue;
      }
      const use = load.begin(now, one);
      running.push({ end: now + CALL_MILLIS, close: (at) => load.end(at, use) });
    }
  }
  const served = (id: string) => counts.get(id)!.calls - counts.get(id)!.refused;
  return {
    refusedShare: (ids: string[]) => {
      const chosen = ids.map((id) => counts.get(id)!);
      const sum = (of: (count: { calls: number; refused: number }) => number) =>
        chosen.reduce((total, count) => total + of(count), 0);
      return sum(({ refused }) => refused) / sum(({ calls }) => calls);
    },
    meanRunning: (id: string) => (served(id) * CALL_MILLIS) / 1_000 / (seconds - from),
  };
}

describe('shares of a full upstream', () => {
  const small = Array.from({ length: SMALL_ACCOUNTS }, (_, index) => caller(`small ${index}`, 0.2));
  const smallIds = small.map(({ id }) => id);

  it('let fifty accounts in beside one that calls a hundred times as often', () => {
    const { refusedShare, meanRunning } = simulate([caller('large', 90), ...small]);
    expect(refusedShare(smallIds)).toBeLessThan(0.01);
    // What the fifty do not need is not kept from it: they run ten calls on average.
    expect(meanRunning('large')).toBeGreaterThan(8);
    expect(refusedShare(['large'])).toBeGreaterThan(0.7);
  });

  it('leave everything to an account that is alone', () => {
    const { meanRunning } = simulate([caller('large', 90)]);
    expect(meanRunning('large')).toBeGreaterThan(SLOTS * 0.95);
  });

  it('are larger for a larger weight', () => {
    const { meanRunning } = simulate([caller('light', 90), caller('heavy', 90, 2)]);
    expect(meanRunning('heavy') / meanRunning('light')).toBeGreaterThan(1.6);
    expect(meanRunning('heavy') + meanRunning('light')).toBeGreaterThan(SLOTS * 0.8);
  });

  it('are at least one call for everybody, also where there are more accounts than places', () => {
    const { refusedShare } = simulate(
      [caller('large', 90), ...small.map((one) => ({ ...one, callsPerSecond: 0.02 }))],
      {
        slots: 4,
      },
    );
    expect(refusedShare(smallIds)).toBeLessThan(0.05);
    expect(refusedShare(['large'])).toBeLessThan(0.99);
  });

  it('hold for requests and tokens of a minute too', () => {
    for (const limits of [{ requests: 600 }, { tokens: 6_000 }]) {
      const load = new UpstreamLoad();
      load.limits = new OwnLimits(load, limits);
      const [large, other] = [caller('large', 0), caller('other', 0)];
      const refusals = { large: 0, other: 0 };
      for (let now = 100; now < 240_000; now += 100) {
        for (const one of now % 1_000 === 0 ? [large, large, other] : [large, large]) {
          const refusal = load.refusalOf(now, one);
          if (refusal) {
            if (now > 120_000) refusals[one.id as 'large' | 'other']++;
            if (refusal === 'full') load.refused(now, one);
            continue;
          }
          const use = load.begin(now, one);
          load.use(now, 10, use);
          load.end(now, use);
        }
      }
      expect(refusals.other).toBeLessThan(10);
      expect(refusals.large).toBeGreaterThan(800);
    }
  });

  it('forget accounts that have left', () => {
    const load = new UpstreamLoad();
    load.limits = new OwnLimits(load, { running: 2 });
    for (let now = 1; now <= 1_000; now++) load.end(now, load.begin(now, caller(`gone ${now}`, 0)));
    const [one, two] = [caller('one', 0), caller('two', 0)];
    load.begin(40_000, one);
    expect(load.refusalOf(40_001, one)).toBeNull();
    load.begin(40_001, one);
    expect(load.refusalOf(40_002, two)).toBe('full');
  });
});
