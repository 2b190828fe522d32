import { type Answer } from './answers';
import { type FuzzRequest } from './requests/requests';
import { OPERATIONS_WITHOUT_SUCCESS } from './operations-without-success';

const SHOWN_SLOWEST = 10;
const SHOWN_FAULTS = 40;
const SHOWN_CHARS = 500;
/** Of one operation: texts that contain an id differ every time. */
const MAX_ERRORS = 20;
const SHOWN_ERRORS = 3;
const MEGABYTE = 2 ** 20;

interface Fault {
  times: number;
  /** The first request with this fault. */
  example: string;
}

interface Outcomes {
  statuses: Map<number, number>;
  /** What exemplary requests were told, and how often. */
  errors: Map<string, number>;
}

/** What a run has seen. */
export class Findings {
  sent = 0;
  readonly statuses = new Map<number, number>();
  readonly faults = new Map<string, Fault>();
  private readonly outcomes = new Map<string, Outcomes>();
  private slowest: { millis: number; name: string }[] = [];
  private readonly startedAt = performance.now();

  count({ target, isExemplary }: FuzzRequest, { status, millis, body }: Answer): void {
    this.sent++;
    increment(this.statuses, status);
    const outcomes: Outcomes = this.outcomes.get(target.name) ?? { statuses: new Map(), errors: new Map() };
    this.outcomes.set(target.name, outcomes);
    increment(outcomes.statuses, status);
    const error = body.toString().slice(0, SHOWN_CHARS);
    if (isExemplary && status >= 400 && (outcomes.errors.size < MAX_ERRORS || outcomes.errors.has(error)))
      increment(outcomes.errors, error);
    const last = this.slowest.at(-1);
    if (this.slowest.length === SHOWN_SLOWEST && last && last.millis >= millis) return;
    const entry = { millis, name: `${target.service}: ${target.method} ${target.path} (${status})` };
    this.slowest = [...this.slowest, entry].sort((a, b) => b.millis - a.millis).slice(0, SHOWN_SLOWEST);
  }

  add({ target, path, query, headers, body, presented }: FuzzRequest, what: string): void {
    const key = `${target.service}: ${target.method} ${target.path}: ${what}`;
    const known = this.faults.get(key);
    if (known) known.times++;
    else {
      const example = JSON.stringify({ path, query, presented, headers, body }).slice(0, SHOWN_CHARS);
      this.faults.set(key, { times: 1, example });
    }
  }

  /** Operations of which every answer was an error, by service and operation id. */
  get withoutSuccess(): string[] {
    return [...this.outcomes]
      .filter(([, { statuses }]) => [...statuses.keys()].every((status) => status >= 400))
      .map(([name]) => name)
      .sort();
  }

  get requestsPerSecond(): number {
    return Math.round((this.sent * 1_000) / (performance.now() - this.startedAt));
  }

  describe(seed: number): string {
    const faultsOfServer = [...this.statuses].filter(([status]) => status >= 500 && status !== 501);
    const unexpected = this.withoutSuccess.filter((name) => !(name in OPERATIONS_WITHOUT_SUCCESS));
    const expected = this.withoutSuccess.filter((name) => name in OPERATIONS_WITHOUT_SUCCESS);
    return [
      `${this.sent} requests to ${this.outcomes.size} operations with the seed ${seed}, ${this.requestsPerSecond} a second`,
      `Memory of the fuzzer: ${Math.round(process.memoryUsage.rss() / MEGABYTE)} MB`,
      'Statuses:',
      ...sorted(this.statuses).map(([status, count]) => `  ${status}: ${count}`),
      `5xx without 501: ${faultsOfServer.reduce((sum, [, count]) => sum + count, 0)}`,
      'Slowest answers:',
      ...this.slowest.map(({ millis, name }) => `  ${Math.round(millis)} ms ${name}`),
      `Answered by errors only, as expected: ${expected.length}`,
      ...expected.map((name) => `  ${name}: ${OPERATIONS_WITHOUT_SUCCESS[name]}`),
      `Answered by errors only, unexpectedly: ${unexpected.length}`,
      ...unexpected.map((name) => `  ${name}: ${this.outcomeOf(name)}`),
      `Faults: ${this.faults.size === 0 ? 'none' : this.faults.size}`,
      ...[...this.faults]
        .slice(0, SHOWN_FAULTS)
        .map(([what, { times, example }]) => `  ${times} times ${what}\n    ${example}`),
    ].join('\n');
  }

  private outcomeOf(name: string): string {
    const { statuses, errors } = this.outcomes.get(name)!;
    const counts = sorted(statuses).map(([status, count]) => `${count} times ${status}`);
    const told = [...errors].sort(([, a], [, b]) => b - a).slice(0, SHOWN_ERRORS);
    return [counts.join(', '), ...told.map(([error, count]) => `    ${count} times ${error}`)].join('\n');
  }
}

const increment = <Key>(counts: Map<Key, number>, key: Key): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

const sorted = (counts: Map<number, number>): [number, number][] => [...counts].sort(([a], [b]) => a - b);
