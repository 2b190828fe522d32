import { type FuzzRequest } from './requests';

const SHOWN_SLOWEST = 5;
const SHOWN_FAULTS = 40;
const SHOWN_CHARS = 500;

interface Fault {
  times: number;
  /** The first request with this fault. */
  example: string;
}

/** What a run has seen. */
export class Findings {
  sent = 0;
  readonly statuses = new Map<number, number>();
  readonly faults = new Map<string, Fault>();
  private readonly succeeded = new Map<string, boolean>();
  private slowest: { millis: number; name: string }[] = [];

  count({ target }: FuzzRequest, { status, millis }: { status: number; millis: number }): void {
    this.sent++;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    const { operationId } = target.operation;
    this.succeeded.set(operationId, (this.succeeded.get(operationId) ?? false) || status < 400);
    const last = this.slowest.at(-1);
    if (this.slowest.length === SHOWN_SLOWEST && last && last.millis >= millis) return;
    const entry = { millis, name: `${target.method} ${target.path} (${status})` };
    this.slowest = [...this.slowest, entry].sort((a, b) => b.millis - a.millis).slice(0, SHOWN_SLOWEST);
  }

  add({ target, url, headers, body, presented }: FuzzRequest, what: string): void {
    const key = `${target.service}: ${target.method} ${target.path}: ${what}`;
    const known = this.faults.get(key);
    if (known) known.times++;
    else {
      const example = JSON.stringify({ url, presented, headers, body }).slice(0, SHOWN_CHARS);
      this.faults.set(key, { times: 1, example });
    }
  }

  /** Operations of which every answer was an error. */
  get neverSucceeded(): string[] {
    return [...this.succeeded]
      .filter(([, hasSucceeded]) => !hasSucceeded)
      .map(([name]) => name)
      .sort();
  }

  describe(seed: number): string {
    const statuses = [...this.statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, count]) => `  ${status}: ${count}`);
    const faults = [...this.faults].map(
      ([what, { times, example }]) => `  ${times} times ${what}\n    ${example}`,
    );
    return [
      `${this.sent} requests with the seed ${seed}`,
      'Statuses:',
      ...statuses,
      'Slowest answers:',
      ...this.slowest.map(({ millis, name }) => `  ${Math.round(millis)} ms ${name}`),
      `Answered by errors only: ${this.neverSucceeded.join(', ') || 'none'}`,
      `Faults: ${this.faults.size === 0 ? 'none' : this.faults.size}`,
      ...faults.slice(0, SHOWN_FAULTS),
    ].join('\n');
  }
}
