import { AccountShares, type AccountUse, type CallingAccount, type Unit, UNITS } from './account-shares';
import { type Circuit } from './circuit';
import { uniform } from './prefix-hash';

/** The limits of an upstream, which all gateways share, as this process knows them. */
export interface SharedLimits {
  /** Whether it takes no call now, however small. */
  isFull(now: number): boolean;
  /** What this process may use: its own use, and what is free. Null: no limit. */
  roomFor(unit: Unit, own: number): number | null;
  /** A call has ended that was not counted when it began: there was no limit yet. */
  endedUncounted(): void;
}

/** What counts of a minute is forgotten in parts: as the slices of limits, of which the one that has just ended counts as a whole. */
const PART_MILLIS = 5_000;
const PARTS = 60_000 / PART_MILLIS + 1;
/** What a steady flow reaches of a limit of a minute, since more than a minute counts. */
const USABLE = (PARTS - 1) / PARTS;
/** Below this part of a limit everybody may take what there is. */
const CROWDED = 0.5;

/** What one upstream does for this process. */
export class UpstreamLoad {
  /** Calls that run. */
  running = 0;
  /** Undefined: it has none. */
  limits: SharedLimits | undefined;
  /** How many calls this process can make at a time, whatever the limits are. */
  connections = Infinity;
  private readonly requests = new Array<number>(PARTS).fill(0);
  private readonly tokens = new Array<number>(PARTS).fill(0);
  private requestsInMinute = 0;
  private tokensInMinute = 0;
  private part = 0;
  /** Of the accounts, since there was a limit. */
  private shares: AccountShares | undefined;

  /** @returns what the account does here, to be told the end; undefined without a limit */
  begin(now: number, account?: CallingAccount): AccountUse | undefined {
    this.turn(now);
    this.running++;
    this.requests[this.part % PARTS]!++;
    this.requestsInMinute++;
    return account && this.limits ? (this.shares ??= new AccountShares()).begin(now, account) : undefined;
  }

  end(now = 0, account?: AccountUse): void {
    this.running--;
    account?.end(now);
  }

  /** Counts tokens of a call. @param tokens negative: what was counted before and is not used */
  use(now: number, tokens: number, account?: AccountUse): void {
    account?.add(now, 'tokens', tokens);
    this.turn(now);
    this.tokens[this.part % PARTS]! += tokens;
    this.tokensInMinute += tokens;
  }

  /** What this process uses of a limit. */
  used(unit: Unit, now: number): number {
    this.turn(now);
    if (unit === 'running') return this.running;
    return Math.max(0, unit === 'requests' ? this.requestsInMinute : this.tokensInMinute);
  }

  /** Why it takes no call of an account: a limit is reached, or the account uses more than its share of one. */
  refusalOf(now: number, account?: CallingAccount): 'full' | 'share' | null {
    const { limits, shares } = this;
    if (this.running >= this.connections) return 'full';
    if (!limits) return null;
    if (limits.isFull(now)) return 'full';
    if (!shares || !account) return null;
    const isUsedUp = (unit: Unit) => {
      const used = this.used(unit, now);
      const room = limits.roomFor(unit, used);
      if (room === null || used < room * CROWDED) return false;
      return shares.isUsedUp(now, account, unit, unit === 'running' ? room : room * USABLE);
    };
    return UNITS.some(isUsedUp) ? 'share' : null;
  }

  /** A call of the account found no room. */
  refused(now: number, account: CallingAccount): void {
    if (this.limits) (this.shares ??= new AccountShares()).refused(now, account);
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

/** An upstream of one model, as the chooser sees it. */
export interface Candidate {
  /** Differs between upstreams, and is the same in every process. */
  seed: number;
  weight: number;
  /** The lowest one is called first. */
  priority: number;
  load: UpstreamLoad;
  circuit: Circuit;
}

/** An upstream has at most this multiple of its share of the running calls before it is passed over. */
const LOAD_FACTOR = 1.25;

/** Why no upstream can be called, and when to try again. */
export interface NoCandidate {
  reason: 'none' | 'full' | 'share' | 'paused';
  retryMillis: number;
}

/** How long a client waits that is told that all upstreams are full. */
const FULL_RETRY_MILLIS = 1_000;

/** The first upstream of which a circuit keeps calls that no other can take. */
export const lastResort = <Kind extends Candidate>(
  candidates: readonly Kind[],
  now: number,
  tried?: ReadonlySet<Kind>,
  account?: CallingAccount,
): Kind | undefined =>
  candidates.find(
    (candidate) =>
      candidate.weight > 0 &&
      !tried?.has(candidate) &&
      candidate.load.refusalOf(now, account) === null &&
      candidate.circuit.admitsLastResort(now),
  );

export const isCandidate = <Kind extends Candidate>(choice: Kind | NoCandidate): choice is Kind =>
  'circuit' in choice;

/**
 * Chooses the upstream of a call: of the first group that can take it the highest one by a weighted rendezvous hash, so that calls with one
 * key stay with one upstream and the weights hold over distinct keys; upstreams above their share of the running calls are passed over.
 * @param candidates in the order of their priorities
 * @param key hash of what shall stay together
 * @param tried is not chosen
 * @param account whose share of limits is obeyed
 */
export function choose<Kind extends Candidate>(
  candidates: readonly Kind[],
  key: number,
  now: number,
  tried?: ReadonlySet<Kind>,
  account?: CallingAccount,
): Kind | NoCandidate {
  let refusal: 'full' | 'share' | null = null;
  let pauseEnd = Infinity;
  for (let from = 0; from < candidates.length;) {
    const { priority } = candidates[from]!;
    let to = from;
    let weights = 0;
    let running = 0;
    for (; to < candidates.length && candidates[to]!.priority === priority; to++) {
      const { weight, circuit, load } = candidates[to]!;
      if (weight === 0 || !circuit.admits(now)) continue;
      weights += weight * circuit.ramp(now);
      running += load.running;
    }
    let best: Kind | undefined;
    let bestScore = -Infinity;
    let isBestBusy = true;
    for (let index = from; index < to; index++) {
      const candidate = candidates[index]!;
      const { weight, circuit, load } = candidate;
      if (weight === 0 || tried?.has(candidate)) continue;
      if (!circuit.admits(now)) {
        if (circuit.pauseEnd > now) pauseEnd = Math.min(pauseEnd, circuit.pauseEnd);
        continue;
      }
      const refused = load.refusalOf(now, account);
      if (refused) {
        refusal = refused === 'full' ? refused : (refusal ?? refused);
        continue;
      }
      const ramped = weight * circuit.ramp(now);
      const isBusy = load.running > Math.ceil((LOAD_FACTOR * ramped * (running + 1)) / weights);
      const score = -ramped / Math.log(uniform(key, candidate.seed));
      // One that is busy is better than a group behind, if the others of this one are full.
      if (isBusy === isBestBusy ? score <= bestScore : isBusy) continue;
      bestScore = score;
      best = candidate;
      isBestBusy = isBusy;
    }
    if (best) return best;
    from = to;
  }
  if (refusal) return { reason: refusal, retryMillis: FULL_RETRY_MILLIS };
  if (pauseEnd < Infinity) return { reason: 'paused', retryMillis: pauseEnd - now };
  return { reason: 'none', retryMillis: FULL_RETRY_MILLIS };
}
