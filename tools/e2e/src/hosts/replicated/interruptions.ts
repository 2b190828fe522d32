import { type Outcome } from './traffic';

/** How one kind of request fared while something was broken. */
export interface Interruption {
  kind: string;
  requests: number;
  failed: number;
  /** Longest time from one success to the next. */
  longestGapSeconds: number;
  /** The faults that occurred, each once. */
  faults: string[];
}

/** @param since milliseconds since 1970; requests that were under way then count */
export function interruptionsSince(outcomes: readonly Outcome[], since: number): Interruption[] {
  const recent = outcomes.filter(({ endedAt }) => endedAt >= since);
  return [...new Set(recent.map(({ kind }) => kind))].map((kind) => {
    const requests = recent.filter((outcome) => outcome.kind === kind);
    const failed = requests.filter(({ fault }) => fault !== '');
    const successes = requests.filter(({ fault }) => fault === '').map(({ endedAt }) => endedAt);
    const gaps = successes.map((at, index) => at - (successes[index - 1] ?? since));
    return {
      kind,
      requests: requests.length,
      failed: failed.length,
      longestGapSeconds: Math.round(Math.max(0, ...gaps) / 100) / 10,
      faults: [...new Set(failed.map(({ fault }) => fault.slice(0, 120)))],
    };
  });
}
