import { NO_ANSWER, type Outcome } from './worst-requests';

/** The longest stall of each operation, the longest first. What is for the model of a native server has a line of its own. */
export function describeStalls(outcomes: Outcome[]): string {
  const worst = new Map<string, Outcome>();
  for (const outcome of outcomes) {
    const name = nameOf(outcome);
    const known = worst.get(name);
    if (!known || outcome.stallMillis > known.stallMillis) worst.set(name, outcome);
  }
  return [...worst.values()]
    .sort((a, b) => b.stallMillis - a.stallMillis)
    .map((outcome) => {
      const { kind, status, stallMillis } = outcome;
      const millis = stallMillis === 0 ? 'under 20' : String(Math.round(stallMillis));
      return `${millis.padStart(8)} ms  ${nameOf(outcome)} (${kind}: ${status})`;
    })
    .join('\n');
}

const nameOf = ({ target: { service, method, path }, isNative }: Outcome): string =>
  `${service}: ${method} ${path}${isNative ? ' to a native server' : ''}`;

export const isFault = ({ status }: Outcome): boolean =>
  status === NO_ANSWER || (status >= 500 && status !== 501);
