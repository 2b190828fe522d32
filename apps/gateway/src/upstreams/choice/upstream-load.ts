/** Limits of an upstream, of this process alone. Undefined: none. */
export interface LoadLimits {
  requestsPerMinute?: number | undefined;
  tokensPerMinute?: number | undefined;
  concurrency?: number | undefined;
}

const MINUTE_MILLIS = 60_000;
/** A minute is counted in so many parts, of which the oldest is forgotten as a whole. */
const PARTS = 6;
const PART_MILLIS = MINUTE_MILLIS / PARTS;

/** What one upstream does for this process. */
export class UpstreamLoad {
  /** Calls that run. */
  running = 0;
  limits: LoadLimits = {};
  private readonly requests = new Array<number>(PARTS).fill(0);
  private readonly tokens = new Array<number>(PARTS).fill(0);
  private requestsInMinute = 0;
  private tokensInMinute = 0;
  private part = 0;

  begin(now: number): void {
    this.turn(now);
    this.running++;
    this.requests[this.part % PARTS]!++;
    this.requestsInMinute++;
  }

  end(): void {
    this.running--;
  }

  /** Counts the tokens of a call that is metered. */
  use(now: number, tokens: number): void {
    this.turn(now);
    this.tokens[this.part % PARTS]! += tokens;
    this.tokensInMinute += tokens;
  }

  /** Whether a limit keeps it from another call. */
  isFull(now: number): boolean {
    const { concurrency, requestsPerMinute, tokensPerMinute } = this.limits;
    if (concurrency !== undefined && this.running >= concurrency) return true;
    if (requestsPerMinute === undefined && tokensPerMinute === undefined) return false;
    this.turn(now);
    return (
      (requestsPerMinute !== undefined && this.requestsInMinute >= requestsPerMinute) ||
      (tokensPerMinute !== undefined && this.tokensInMinute >= tokensPerMinute)
    );
  }

  private turn(now: number): void {
    const part = Math.floor(now / PART_MILLIS);
    const steps = Math.min(part - this.part, PARTS);
    for (let step = 1; step <= steps; step++) {
      const index = (this.part + step) % PARTS;
      this.requestsInMinute -= this.requests[index]!;
      this.tokensInMinute -= this.tokens[index]!;
      this.requests[index] = this.tokens[index] = 0;
    }
    if (steps > 0) this.part = part;
  }
}
