import { waitFor } from '@inference/testing';

/** Returns what is wrong with the response, or null. */
type Request = () => Promise<string | null>;

/** Chosen: at most three requests of a client in a second leave the processor to the processes that start. */
const PAUSE_MILLIS = 350;
const PATIENCE_MILLIS = 120_000;
const CLIENTS_PER_REQUEST = 2;

/** Clients that send requests of several kinds until they are stopped. */
export class Clients {
  /** How often each failure has occurred. */
  private readonly failures: Record<string, number> = {};
  private readonly answered = new Map<string, number>();
  private running = true;
  private readonly ended: Promise<void>[];

  constructor(private readonly requests: Record<string, Request>) {
    this.ended = Object.entries(requests).flatMap(([kind, request]) =>
      Array.from({ length: CLIENTS_PER_REQUEST }, () => this.run(kind, request)),
    );
  }

  /** Resolves after so many further requests of each kind. */
  async answer(requests: number): Promise<void> {
    const enough = Object.keys(this.requests).map((kind) => [kind, this.count(kind) + requests] as const);
    await waitFor(() => enough.every(([kind, count]) => this.count(kind) >= count), PATIENCE_MILLIS);
  }

  /** Stops the clients and returns how many requests were answered. Expects that none failed. */
  async stop(): Promise<number> {
    this.running = false;
    await Promise.all(this.ended);
    expect(this.failures).toEqual({});
    return Object.keys(this.requests).reduce((sum, kind) => sum + this.count(kind), 0);
  }

  private count(kind: string): number {
    return this.answered.get(kind) ?? 0;
  }

  private countFailure(text: string): void {
    this.failures[text] = (this.failures[text] ?? 0) + 1;
  }

  private async run(kind: string, request: Request): Promise<void> {
    while (this.running) {
      const failure = await request().catch((error: Error) => error.message);
      if (failure !== null) this.countFailure(`${kind}: ${failure}`);
      this.answered.set(kind, this.count(kind) + 1);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
    }
  }
}
