import { type UpstreamReport } from '@inference/serving';
import { type Upstream } from './upstream';

const MINUTE_MILLIS = 60_000;

interface Totals {
  at: number;
  calls: number;
  failures: number;
  firstBytes: number;
  firstByteMillis: number;
}

/** How often the upstream was called, and how often in vain. Calls that clients abandon are no failures. */
function totalsOf({ figures }: Upstream, at: number): Totals {
  const totals: Totals = { at, calls: 0, failures: 0, firstBytes: 0, firstByteMillis: 0 };
  for (const { outcomes, firstBytes, firstByteMillis } of figures.values()) {
    for (const [outcome, count] of Object.entries(outcomes)) {
      if (outcome === 'abandoned') continue;
      // A broken answer was counted when it began.
      if (outcome !== 'broken') totals.calls += count;
      if (outcome !== 'answered' && outcome !== 'refused') totals.failures += count;
    }
    totals.firstBytes += firstBytes;
    totals.firstByteMillis += firstByteMillis;
  }
  return totals;
}

/** What this process tells of upstreams: the last minute, and what runs now. */
export class UpstreamReports {
  private readonly history = new WeakMap<Upstream, Totals[]>();

  of(upstreams: readonly Upstream[]): UpstreamReport[] {
    const now = performance.now();
    return upstreams.map((upstream) => {
      const history = this.history.get(upstream) ?? [];
      this.history.set(upstream, history);
      const newest = totalsOf(upstream, now);
      history.push(newest);
      while (history[0]!.at < now - MINUTE_MILLIS) history.shift();
      const oldest = history[0]!;
      const since = (name: Exclude<keyof Totals, 'at'>) =>
        history.length > 1 ? newest[name] - oldest[name] : newest[name];
      const firstBytes = since('firstBytes');
      return {
        upstreamId: upstream.id,
        running: upstream.load.running,
        isUp: upstream.isUp,
        openModels: [...upstream.figures]
          .filter(([, { circuit }]) => circuit.state(now) !== 'closed')
          .map(([model]) => model),
        calls: since('calls'),
        failures: since('failures'),
        firstByteMs: firstBytes === 0 ? null : Math.round(since('firstByteMillis') / firstBytes),
      };
    });
  }
}
