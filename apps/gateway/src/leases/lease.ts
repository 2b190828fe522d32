/**
 * Money set aside from a wallet for this process until the lease expires, spent in memory.
 * In the database the lease's amount is `remainingPicos` + `heldPicos`.
 */
export class Lease {
  remainingPicos = 0n;
  heldPicos = 0n;
  /** On the clock of performance.now(); counted from before the database was asked, so never too late. */
  deadlineMillis = 0;
  /** False once the database no longer knows it. */
  stands = true;

  constructor(
    readonly id: string,
    /** The money is set aside from the API key's spending limit as well. */
    readonly limited: boolean,
  ) {}

  covers(amountPicos: bigint): boolean {
    return this.stands && performance.now() < this.deadlineMillis && this.remainingPicos >= amountPicos;
  }

  hold(amountPicos: bigint): Hold {
    this.remainingPicos -= amountPicos;
    this.heldPicos += amountPicos;
    return new Hold(this, amountPicos);
  }
}

/** The worst case of one request, out of a lease. Ends exactly once: settled at its cost, or released. */
export class Hold {
  private ended = false;

  constructor(
    readonly lease: Lease | null,
    readonly amountPicos: bigint,
  ) {}

  /** The database has debited the lease by this cost. */
  settle(costPicos: bigint): void {
    this.end(this.amountPicos - costPicos);
  }

  release(): void {
    this.end(this.amountPicos);
  }

  /** Whether the lease was debited is not known: count the money as gone and let the lease expire, which sets it right. */
  abandon(): void {
    if (this.lease) this.lease.stands = false;
    this.end(0n);
  }

  private end(backPicos: bigint): void {
    if (this.ended || !this.lease) return;
    this.ended = true;
    this.lease.heldPicos -= this.amountPicos;
    this.lease.remainingPicos += backPicos;
    // It cost more than the lease had: whether that came out of the lease or of free money only the database knows.
    if (this.lease.remainingPicos < 0n) this.lease.stands = false;
  }
}

/** A model without a price above zero needs no money. */
export const FREE_HOLD = new Hold(null, 0n);
