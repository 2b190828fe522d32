/** Span of time over which further calls are counted. */
const WINDOW_MILLIS = 10_000;
/** So many further calls are always allowed in that span. */
const FLOOR = 100;
/** Beyond the floor: further calls for each call. Twice the load of an outage would reach the servers that still work. */
const SHARE = 0.1;

/** Limits how many calls are made again: an outage must not become twice the load. */
export class RetryBudget {
  private calls = 0;
  private retries = 0;
  private began = 0;

  countCall(now: number): void {
    this.turn(now);
    this.calls++;
  }

  /** Takes one further call from the budget; false if there is none left. */
  take(now: number): boolean {
    this.turn(now);
    if (this.retries >= Math.max(FLOOR, SHARE * this.calls)) return false;
    this.retries++;
    return true;
  }

  private turn(now: number): void {
    if (now - this.began < WINDOW_MILLIS) return;
    this.calls = this.retries = 0;
    this.began = now;
  }
}
