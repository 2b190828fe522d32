import { type UpstreamReport } from '@inference/serving';
import { type CallFigures, type Upstream } from './upstream';

const MINUTE_MILLIS = 60_000;
const COUNTS = ['calls', 'failures', 'firstBytes', 'firstByteMillis', 'outputTokens'] as const;
type Counts = Record<(typeof COUNTS)[number], number>;
type Sample = Counts & { at: number };

const NOTHING: Counts = { calls: 0, failures: 0, firstBytes: 0, firstByteMillis: 0, outputTokens: 0 };

/** How often a model of an upstream was called, and how often in vain. Calls that clients abandon are no failures. */
function countsOf({ outcomes, firstBytes, firstByteMillis, outputTokens }: CallFigures): Counts {
  const counts = { calls: 0, failures: 0, firstBytes, firstByteMillis, outputTokens };
  for (const [outcome, count] of Object.entries(outcomes)) {
    if (outcome === 'abandoned') continue;
    // A broken answer was counted when it began.
    if (outcome !== 'broken') counts.calls += count;
    if (outcome !== 'answered' && outcome !== 'refused') counts.failures += count;
  }
  return counts;
}

/** Combines two counts name by name. */
const combined = (one: Counts, other: Counts, combine: (a: number, b: number) => number): Counts =>
  Object.fromEntries(COUNTS.map((name) => [name, combine(one[name], other[name])])) as Counts;

const firstByteOf = ({ firstBytes, firstByteMillis }: Counts) =>
  firstBytes === 0 ? null : Math.round(firstByteMillis / firstBytes);

/** What this process tells of upstreams: the last minute, and what runs now. */
export class UpstreamReports {
  private readonly history = new WeakMap<CallFigures, Sample[]>();

  of(upstreams: readonly Upstream[]): UpstreamReport[] {
    const now = performance.now();
    return upstreams.map((upstream) => {
      const models = [...upstream.figures].map(([model, figures]) => ({
        model,
        counts: this.lastMinute(figures, now),
      }));
      const all = models.reduce((sum, { counts }) => combined(sum, counts, (a, b) => a + b), NOTHING);
      return {
        upstreamId: upstream.id,
        running: upstream.load.running,
        isUp: upstream.isUp,
        openModels: [...upstream.figures]
          .filter(([, { circuit }]) => circuit.state(now) !== 'closed')
          .map(([model]) => model),
        calls: all.calls,
        failures: all.failures,
        firstByteMs: firstByteOf(all),
        models: models
          .filter(({ counts }) => COUNTS.some((name) => counts[name] > 0))
          .map(({ model, counts }) => ({
            model,
            calls: counts.calls,
            failures: counts.failures,
            firstByteMs: firstByteOf(counts),
            outputTokens: counts.outputTokens,
          })),
      };
    });
  }

  private lastMinute(figures: CallFigures, now: number): Counts {
    // What has been counted before the first report has been counted since the one before.
    const history = this.history.get(figures) ?? [{ at: now, ...NOTHING }];
    this.history.set(figures, history);
    const newest = { at: now, ...countsOf(figures) };
    history.push(newest);
    while (history[0]!.at < now - MINUTE_MILLIS) history.shift();
    return combined(newest, history[0]!, (a, b) => a - b);
  }
}
