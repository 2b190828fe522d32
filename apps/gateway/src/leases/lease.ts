/**
 * Money set aside from a wallet for this process until the lease expires, spent in memory.
 * In the database the lease's amount is `remainingPicos` + `heldPicos`.
 */
export class Lease {
  remainingPicos = 0n;
  heldPicos = 0n;
  holds = 0;
  /** End of the lease on the clock of performance.now(). Counted from before the query, so it is never later than in the database. */
  deadlineMillis = 0;
  /** False once the lease has ended in the database, or may have. */
  isValid = true;

  constructor(
    readonly id: string,
    /** Whether the money also counts against the API key's spending limit. */
    readonly limited: boolean,
  ) {}

  covers(amountPicos: bigint): boolean {
    return this.isValid && performance.now() < this.deadlineMillis && this.remainingPicos >= amountPicos;
  }

  hold(amountPicos: bigint): Hold {
    this.remainingPicos -= amountPicos;
    this.heldPicos += amountPicos;
    this.holds += 1;
    return new Hold(this, amountPicos);
  }
}

/** Money of a lease that is reserved for the worst case of one request. Ends exactly once: settled, released or abandoned. */
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

  /** The request cost nothing: the money is free again. */
  release(): void {
    this.end(this.amountPicos);
  }

  /** Ends this hold and returns another one that keeps its money reserved. */
  handOver(): Hold {
    const successor = new Hold(this.lease, this.amountPicos);
    successor.ended = this.ended;
    this.ended = true;
    return successor;
  }

  /** Whether the lease was debited is unknown: counts the money as spent and lets the lease expire, which corrects it. */
  abandon(): void {
    if (this.lease) this.lease.isValid = false;
    this.end(0n);
  }

  private end(backPicos: bigint): void {
    if (this.ended || !this.lease) return;
    this.ended = true;
    this.lease.heldPicos -= this.amountPicos;
    this.lease.holds -= 1;
    this.lease.remainingPicos += backPicos;
    // The request cost more than the lease held. Only the database knows whether the rest came from free money.
    if (this.lease.remainingPicos < 0n) this.lease.isValid = false;
  }
}

/** For requests that cannot cost anything. */
export const FREE_HOLD = new Hold(null, 0n);
