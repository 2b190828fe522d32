import { NO_ANSWER, type Outcome } from './worst-requests';

/** The longest stall of each operation, the longest first. */
export function describeStalls(outcomes: Outcome[]): string {
  const worst = new Map<string, Outcome>();
  for (const outcome of outcomes) {
    const known = worst.get(outcome.target.name);
    if (!known || outcome.stallMillis > known.stallMillis) worst.set(outcome.target.name, outcome);
  }
  return [...worst.values()]
    .sort((a, b) => b.stallMillis - a.stallMillis)
    .map(({ target: { service, method, path }, kind, status, stallMillis }) => {
      const millis = stallMillis === 0 ? 'under 20' : String(Math.round(stallMillis));
      return `${millis.padStart(8)} ms  ${service}: ${method} ${path} (${kind}: ${status})`;
    })
    .join('\n');
}

export const isFault = ({ status }: Outcome): boolean =>
  status === NO_ANSWER || (status >= 500 && status !== 501);
