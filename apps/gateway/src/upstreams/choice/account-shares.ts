/** Who calls: its weight is asked for only where an upstream has limits. */
export interface CallingAccount {
  id: string;
  weight(): number;
}

/** Over so long, and as long before, what an account uses is averaged. Chosen: longer than most answers take. */
const WINDOW_MILLIS = 10_000;
const WINDOWS_OF_A_MINUTE = 60_000 / WINDOW_MILLIS;
/** How long a refused call counts as if it ran: until the client has tried again. */
const REFUSED_MILLIS = 1_000;
/** Standard deviations of a Poisson process that are kept free beyond the mean: one call in a thousand finds no room. */
const DEVIATIONS = 3;

/** What limits count. */
export const UNITS = ['running', 'requests', 'tokens'] as const;
export type Unit = (typeof UNITS)[number];
type Amounts = Record<Unit, number>;

const nothing = (): Amounts => ({ running: 0, requests: 0, tokens: 0 });

/** What one account does at an upstream. Calls that run are counted by the milliseconds that they take. */
export class AccountUse {
  running = 0;
  private current = nothing();
  private former = nothing();
  private window = 0;
  private changedAt = 0;

  constructor(
    readonly id: string,
    public weight: number,
  ) {}

  isIdleAt(now: number): boolean {
    this.turn(now);
    const { current, former } = this;
    return this.running + current.running + former.running + current.requests + former.requests === 0;
  }

  begin(now: number): void {
    this.turn(now);
    this.running++;
    this.current.requests++;
  }

  end(now: number): void {
    this.turn(now);
    this.running--;
  }

  add(now: number, unit: Unit, amount: number): void {
    this.turn(now);
    this.current[unit] += amount;
  }

  /** How many run on average, or what is used in a minute. */
  mean(unit: Unit, now: number): number {
    this.turn(now);
    const rest = 1 - (now - this.window * WINDOW_MILLIS) / WINDOW_MILLIS;
    const amount = this.current[unit] + this.former[unit] * rest;
    // What is given back may have been counted in a window that is forgotten.
    return unit === 'running' ? amount / WINDOW_MILLIS : Math.max(0, amount) * WINDOWS_OF_A_MINUTE;
  }

  private turn(now: number): void {
    const window = Math.floor(now / WINDOW_MILLIS);
    for (let left = Math.min(2, window - this.window); left > 0; left--) {
      const start = (window - left + 1) * WINDOW_MILLIS;
      this.current.running += this.running * (start - Math.max(this.changedAt, start - WINDOW_MILLIS));
      this.changedAt = start;
      this.former = this.current;
      this.current = nothing();
    }
    this.window = window;
    this.current.running += this.running * (now - this.changedAt);
    this.changedAt = now;
  }
}

/**
 * Who uses an upstream that has limits. While there is plenty, an account may use all of it but what the others are about to need, going by
 * what they have used lately; and its weighted share in any case. So nobody has to wait for one who takes everything.
 */
export class AccountShares {
  private readonly uses = new Map<string, AccountUse>();
  private prunedAt = 0;

  begin(now: number, account: CallingAccount): AccountUse {
    const use = this.useOf(account);
    use.begin(now);
    if (now - this.prunedAt > WINDOW_MILLIS) this.forgetIdle(now);
    return use;
  }

  /** A call found no room: its account counts from now on. */
  refused(now: number, account: CallingAccount): void {
    this.useOf(account).add(now, 'running', REFUSED_MILLIS);
  }

  /** Whether an account has used up what it may use of a limit. */
  isUsedUp(now: number, account: CallingAccount, unit: Unit, limit: number): boolean {
    const own = this.useOf(account);
    let weights = own.weight;
    for (const use of this.uses.values()) if (use !== own && !use.isIdleAt(now)) weights += use.weight;
    let needed = 0;
    let requests = 0;
    for (const use of this.uses.values()) {
      if (use === own) continue;
      needed += Math.min(use.mean(unit, now), (limit * use.weight) / weights);
      if (unit === 'tokens') requests += use.mean('requests', now);
    }
    // Tokens come in portions of a call.
    const portion = unit === 'tokens' && requests > 0 ? Math.max(1, needed / requests) : 1;
    const left = limit - needed - DEVIATIONS * Math.sqrt(needed * portion);
    const used = unit === 'running' ? own.running : own.mean(unit, now);
    return used >= Math.max(1, (limit * own.weight) / weights, left);
  }

  private forgetIdle(now: number): void {
    this.prunedAt = now;
    for (const use of this.uses.values()) if (use.isIdleAt(now)) this.uses.delete(use.id);
  }

  private useOf(account: CallingAccount): AccountUse {
    let use = this.uses.get(account.id);
    if (!use) this.uses.set(account.id, (use = new AccountUse(account.id, account.weight())));
    else use.weight = account.weight();
    return use;
  }
}
