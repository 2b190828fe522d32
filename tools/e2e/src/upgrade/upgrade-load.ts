import { setTimeout as sleep } from 'node:timers/promises';

/** Something that clients of the site do all the time. */
export interface Activity {
  name: string;
  /** Rejects if the site refuses it, or if an answer is not complete. */
  run(turn: number): Promise<void>;
  /** How many clients do it at the same time. */
  clients: number;
  /** Between two turns of a client. */
  pauseMillis: number;
}

/** Of the message of a failure. */
const KEPT_CHARS = 300;

interface Tally {
  done: number;
  failures: string[];
  longestGapMillis: number;
}

/** What happened to one activity in one phase. */
export interface Outcome extends Tally {
  phase: string;
  activity: string;
}

/** Clients that work until they are stopped, whatever fails. */
export class UpgradeLoad {
  private phase = '';
  private running = true;
  private readonly tallies = new Map<string, Map<string, Tally>>();
  private readonly lastDoneAt = new Map<string, number>();
  private readonly clients: Promise<void>[];

  constructor(activities: readonly Activity[], phase: string) {
    this.begin(phase);
    this.clients = activities.flatMap((activity) =>
      Array.from({ length: activity.clients }, (_, client) => this.work(activity, client)),
    );
  }

  /** What ends from now on counts for this phase. */
  begin(phase: string): void {
    this.phase = phase;
    this.tallies.set(phase, new Map());
  }

  get outcomes(): Outcome[] {
    return [...this.tallies].flatMap(([phase, activities]) =>
      [...activities].map(([activity, tally]) => ({ phase, activity, ...tally })),
    );
  }

  doneIn(phase: string, activity: string): number {
    return this.tallies.get(phase)?.get(activity)?.done ?? 0;
  }

  /** Of all phases. */
  get failures(): string[] {
    return this.outcomes.flatMap(({ phase, activity, failures }) =>
      failures.map((failure) => `${phase}: ${activity}: ${failure}`),
    );
  }

  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.clients);
  }

  private async work({ name, clients, run, pauseMillis }: Activity, client: number): Promise<void> {
    for (let turn = client; this.running; turn += clients) {
      try {
        await run(turn);
        this.succeeded(name);
      } catch (error) {
        this.tallyOf(name).failures.push(`turn ${turn}: ${(error as Error).message.slice(0, KEPT_CHARS)}`);
      }
      await sleep(pauseMillis);
    }
  }

  private succeeded(name: string): void {
    const tally = this.tallyOf(name);
    const now = performance.now();
    const gapMillis = now - (this.lastDoneAt.get(name) ?? now);
    this.lastDoneAt.set(name, now);
    tally.done++;
    tally.longestGapMillis = Math.max(tally.longestGapMillis, gapMillis);
  }

  private tallyOf(name: string): Tally {
    const activities = this.tallies.get(this.phase)!;
    const tally = activities.get(name) ?? { done: 0, failures: [], longestGapMillis: 0 };
    activities.set(name, tally);
    return tally;
  }
}

/** A line for each phase and activity. */
export const describeOutcomes = (outcomes: readonly Outcome[]): string =>
  outcomes
    .map(({ phase, activity, done, failures, longestGapMillis }) =>
      [
        phase.padEnd(16),
        activity.padEnd(14),
        `${done} done`.padStart(10),
        `${failures.length} failed`.padStart(10),
        `longest gap ${Math.round(longestGapMillis)} ms`.padStart(22),
      ].join(' '),
    )
    .join('\n');
