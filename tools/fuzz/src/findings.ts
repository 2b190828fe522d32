import { type Answer } from './answers';
import { MOST_STALL_MILLIS } from './site/stall-log';
import { type FuzzRequest } from './requests/requests';
import { OPERATIONS_WITHOUT_SUCCESS } from './operations-without-success';

const SHOWN_OPERATIONS = 10;
const SHOWN_FAULTS = 40;
/** Texts of further faults are not kept: some contain a value that differs every time. */
const MAX_FAULTS = 1_000;
const SHOWN_CHARS = 500;
/** Of one operation: texts that contain an id differ every time. */
const MAX_ERRORS = 20;
const SHOWN_ERRORS = 3;
const KILOBYTE = 2 ** 10;
const MEGABYTE = 2 ** 20;

interface Fault {
  times: number;
  /** The first request with this fault. */
  example: string;
}

/** Turns of an event loop that took too long. */
interface Stalls {
  count: number;
  longestMillis: number;
}

interface Outcomes {
  statuses: Map<number, number>;
  /** Of the slowest answer. */
  maxMillis: number;
  totalMillis: number;
  /** Of the largest body. */
  maxBytes: number;
  /** What exemplary requests were told, and how often. */
  errors: Map<string, number>;
}

/** What a run has seen. */
export class Findings {
  sent = 0;
  readonly statuses = new Map<number, number>();
  readonly faults = new Map<string, Fault>();
  /** By service. */
  readonly stalls = new Map<string, Stalls>();
  private readonly outcomes = new Map<string, Outcomes>();
  private readonly startedAt = performance.now();

  count({ target, isExemplary }: FuzzRequest, { status, millis, body }: Answer): void {
    this.sent++;
    increment(this.statuses, status);
    const outcomes = this.outcomes.get(target.name) ?? newOutcomes();
    this.outcomes.set(target.name, outcomes);
    increment(outcomes.statuses, status);
    outcomes.maxMillis = Math.max(outcomes.maxMillis, millis);
    outcomes.totalMillis += millis;
    outcomes.maxBytes = Math.max(outcomes.maxBytes, body.length);
    if (!isExemplary || status < 400) return;
    const error = body.toString().slice(0, SHOWN_CHARS);
    if (outcomes.errors.size < MAX_ERRORS || outcomes.errors.has(error)) increment(outcomes.errors, error);
  }

  add({ target, path, query, headers, body, presented }: FuzzRequest, what: string): void {
    const isOneOfMany = this.faults.size >= MAX_FAULTS;
    const operation = `${target.service}: ${target.method} ${target.path}`;
    const key = isOneOfMany
      ? `${operation}: one of many faults`
      : `${operation}: ${what.replaceAll(/\/\d+/g, '/n')}`;
    const known = this.faults.get(key);
    if (known) known.times++;
    else {
      const example = JSON.stringify({ path, query, presented, headers, body }).slice(0, SHOWN_CHARS);
      this.faults.set(key, { times: 1, example });
    }
  }

  /** @param millis of processor time of turns of the service's event loop; short ones do not count */
  countStalls(service: string, millis: number[]): void {
    const long = millis.filter((each) => each > MOST_STALL_MILLIS);
    if (long.length === 0) return;
    const { count, longestMillis } = this.stalls.get(service) ?? { count: 0, longestMillis: 0 };
    this.stalls.set(service, {
      count: count + long.length,
      longestMillis: Math.max(longestMillis, ...long),
    });
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
    const faultsOfServer = new Map([...this.statuses].filter(([status]) => status >= 500 && status !== 501));
    const unexpected = this.withoutSuccess.filter((name) => !(name in OPERATIONS_WITHOUT_SUCCESS));
    const expected = this.withoutSuccess.filter((name) => name in OPERATIONS_WITHOUT_SUCCESS);
    return [
      `${this.sent} requests to ${this.outcomes.size} operations with the seed ${seed}, ${this.requestsPerSecond} a second`,
      `Memory of the fuzzer: ${Math.round(process.memoryUsage.rss() / MEGABYTE)} MB`,
      'Statuses:',
      ...sorted(this.statuses).map(([status, count]) => `  ${status}: ${count}`),
      `5xx without 501: ${sum(faultsOfServer)}`,
      `Turns of an event loop of over ${MOST_STALL_MILLIS} ms of processor time: ${this.stalls.size === 0 ? 'none' : ''}`,
      ...[...this.stalls].map(
        ([service, { count, longestMillis }]) =>
          `  ${service}: ${count}, the longest ${Math.round(longestMillis)} ms`,
      ),
      'Slowest answers of an operation:',
      ...this.first(({ maxMillis }) => maxMillis).map(
        ([name, { maxMillis, totalMillis, statuses }]) =>
          `  ${Math.round(maxMillis)} ms, on average ${Math.round(totalMillis / sum(statuses))} ms: ${name}`,
      ),
      'Largest answers of an operation:',
      ...this.first(({ maxBytes }) => maxBytes).map(
        ([name, { maxBytes }]) => `  ${Math.round(maxBytes / KILOBYTE)} kB: ${name}`,
      ),
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

  /** The operations for which a figure is highest, that first. */
  private first(figure: (outcomes: Outcomes) => number): [string, Outcomes][] {
    return [...this.outcomes].sort(([, a], [, b]) => figure(b) - figure(a)).slice(0, SHOWN_OPERATIONS);
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

const sum = (counts: Map<number, number>): number =>
  [...counts.values()].reduce((total, count) => total + count, 0);

const newOutcomes = (): Outcomes => ({
  statuses: new Map(),
  maxMillis: 0,
  totalMillis: 0,
  maxBytes: 0,
  errors: new Map(),
});

const sorted = (counts: Map<number, number>): [number, number][] => [...counts].sort(([a], [b]) => a - b);
