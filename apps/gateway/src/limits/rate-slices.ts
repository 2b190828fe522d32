import { type Database, newId } from '@inference/database';
import { type ModelLimits } from '@inference/rate-limits';
import { type LimitsConfig } from './limits.config';
import { drawSlice, type RateName, type SliceGrant } from './limits.repository';

/** What is limited, in the database and in the names of limits. */
export interface Subject {
  id: string;
  /** Empty for what belongs to no account. */
  accountId: string;
}

/** Specified: below so many a minute the database is asked at each admission. */
const EXACT_BELOW = 10;
/** Of such an admission: how long the answer of the database may take to count as one. */
const EXACT_LIFE_SECONDS = 1;
/** Part of a limit that a process draws at a time. Chosen: what a minute has in a slice of five seconds. */
const SLICES_OF_A_LIMIT = 12;
const MINUTES_PER_DAY = 1_440;
/** Requests of a subject without a limit of requests: more than any process serves. */
const WITHOUT_LIMIT = 12_000_000;
/** How long a refusal is answered from memory. Chosen: what another process gives back is found within a second. */
const LONGEST_REFUSAL_MILLIS = 1_000;
const SHORTEST_REFUSAL_MILLIS = 100;

interface Slice {
  id: string;
  requests: number;
  tokens: number;
  usedRequests: number;
  usedTokens: number;
  /** On the clock of performance.now(), counted from before the query: never later than in the database. */
  deadlineMillis: number;
}

/** A refused admission. */
export interface Refused {
  rate: RateName;
  waitMillis: number;
}

/** An admission that counts. */
export class Taken {
  constructor(
    private readonly slices: RateSlices,
    private readonly slice: Slice,
    readonly tokens: number,
  ) {}

  /** The request was not admitted after all. */
  cancel(): void {
    this.slices.giveBack(this.slice, 1, this.tokens);
  }

  /** So many of its tokens were not used, and others may use them. */
  giveBack(tokens: number): void {
    this.slices.giveBack(this.slice, 0, tokens);
  }
}

interface Waiter {
  tokens: number;
  resolve(result: Taken | Refused): void;
  reject(error: unknown): void;
}

/** Admits the requests of one subject from slices of its limits, which all gateway processes share. */
export class RateSlices {
  private slice: Slice | null = null;
  /** Those whose use is to be reported. */
  private readonly ended = new Map<string, Slice>();
  private debt = 0;
  private readonly waiters: Waiter[] = [];
  private isDrawing = false;
  private refusal: (Refused & { tokens: number; freeAtMillis: number; untilMillis: number }) | null = null;
  private state: {
    freeRequests: number | null;
    freeTokens: number | null;
    resetRequestsAt: number;
    resetTokensAt: number;
  };

  constructor(
    private readonly database: Database,
    private readonly config: LimitsConfig,
    private readonly subject: Subject,
    private limits: ModelLimits,
  ) {
    this.state = { ...this.unused(), resetRequestsAt: 0, resetTokensAt: 0 };
  }

  /** Other limits are in force at once: what was drawn under the former ones is not used any more. */
  change(limits: ModelLimits): void {
    this.limits = limits;
    this.refusal = null;
    this.state = { ...this.state, ...this.unused() };
    this.endSlice();
  }

  /** Counts a request with so many tokens. */
  take(tokens: number): Taken | Refused | Promise<Taken | Refused> {
    const refused = this.refusalFor(tokens);
    if (refused) return refused;
    if (this.waiters.length === 0) {
      const taken = this.takeFromSlice(tokens);
      if (taken) return taken;
    }
    return new Promise((resolve, reject) => {
      this.waiters.push({ tokens, resolve, reject });
      if (!this.isDrawing) void this.serve();
    });
  }

  /** Tokens that a call has used beyond what was counted for it: they delay later admissions. */
  owe(tokens: number): void {
    if (this.limits.tokensPerMinute === null && this.limits.tokensPerDay === null) return;
    const fromSlice = Math.min(tokens, this.slice?.tokens ?? 0);
    if (this.slice) {
      this.slice.tokens -= fromSlice;
      this.slice.usedTokens += fromSlice;
    }
    this.debt += tokens - fromSlice;
  }

  giveBack(slice: Slice, requests: number, tokens: number): void {
    slice.usedRequests -= requests;
    slice.usedTokens -= tokens;
    if (slice === this.slice) {
      slice.requests += requests;
      slice.tokens += tokens;
      // A slice that ended longer ago does not count any more.
    } else if (performance.now() < slice.deadlineMillis + this.config.windowSeconds * 1000)
      this.ended.set(slice.id, slice);
  }

  /** Whether each request is refused, however few tokens it has. */
  get isFull(): boolean {
    return this.refusalFor(0) !== null;
  }

  /** Whether something is to be told to the database. */
  get hasNews(): boolean {
    if (this.slice && performance.now() >= this.slice.deadlineMillis) this.endSlice();
    return this.debt > 0 || this.ended.size > 0;
  }

  get isIdle(): boolean {
    return this.slice === null && !this.hasNews && this.waiters.length === 0 && !this.isDrawing;
  }

  /** Tells the database what was used and is owed. */
  async report(): Promise<void> {
    if (this.isDrawing || !this.hasNews) return;
    this.isDrawing = true;
    try {
      await this.draw(0, 0);
    } finally {
      this.isDrawing = false;
    }
    if (this.waiters.length > 0) void this.serve();
  }

  /** Ends the slice of a process that stops. */
  endSlice(): void {
    if (this.slice) this.ended.set(this.slice.id, this.slice);
    this.slice = null;
  }

  /** What is left, as far as this process knows, and until when all is free again; null: no limit. */
  get remaining() {
    const { freeRequests, freeTokens, resetRequestsAt, resetTokensAt } = this.state;
    const now = performance.now();
    const left = (free: number | null, own: number | undefined, limit: number | null, resetAt: number) =>
      free === null || limit === null
        ? null
        : {
            limit,
            remaining: Math.max(0, Math.min(limit, resetAt <= now ? limit : free + (own ?? 0))),
            resetMillis: Math.max(0, resetAt - now),
          };
    return {
      requests: left(freeRequests, this.slice?.requests, this.limits.requestsPerMinute, resetRequestsAt),
      tokens: left(
        freeTokens,
        this.slice ? this.slice.tokens - this.debt : undefined,
        this.limits.tokensPerMinute,
        resetTokensAt,
      ),
    };
  }

  private unused() {
    return { freeRequests: this.limits.requestsPerMinute, freeTokens: this.limits.tokensPerMinute };
  }

  private refusalFor(tokens: number): Refused | null {
    const { refusal } = this;
    const now = performance.now();
    if (!refusal || now >= refusal.untilMillis) return null;
    if (refusal.rate !== 'requests' && tokens < refusal.tokens) return null;
    return { rate: refusal.rate, waitMillis: refusal.freeAtMillis - now };
  }

  private takeFromSlice(tokens: number): Taken | null {
    const { slice } = this;
    if (!slice || slice.requests < 1 || slice.tokens < tokens || this.debt > 0) return null;
    if (performance.now() >= slice.deadlineMillis) return null;
    slice.requests -= 1;
    slice.tokens -= tokens;
    slice.usedRequests += 1;
    slice.usedTokens += tokens;
    return new Taken(this, slice, tokens);
  }

  private async serve(): Promise<void> {
    this.isDrawing = true;
    try {
      while (this.waiters.length > 0) {
        const first = this.waiters[0]!;
        const taken = this.takeFromSlice(first.tokens) ?? (await this.drawFor(first));
        if (!taken) continue;
        this.waiters.shift();
        first.resolve(taken);
      }
    } catch (error) {
      for (const waiter of this.waiters.splice(0)) waiter.reject(error);
    } finally {
      this.isDrawing = false;
    }
  }

  private async drawFor({ tokens }: Waiter): Promise<Taken | Refused | null> {
    const refused = this.refusalFor(tokens);
    if (refused) return refused;
    const { refusal, waitSeconds } = await this.draw(1, tokens);
    if (refusal === null) return this.takeFromSlice(tokens);
    const now = performance.now();
    const waitMillis = (waitSeconds ?? this.config.windowSeconds) * 1000;
    const heldMillis = Math.min(Math.max(waitMillis, SHORTEST_REFUSAL_MILLIS), LONGEST_REFUSAL_MILLIS);
    this.refusal = {
      ...{ rate: refusal, tokens, waitMillis },
      freeAtMillis: now + waitMillis,
      untilMillis: now + heldMillis,
    };
    return { rate: refusal, waitMillis };
  }

  private async draw(requests: number, tokens: number): Promise<SliceGrant> {
    this.endSlice();
    const { limits, debt } = this;
    const used = [...this.ended.values()];
    this.ended.clear();
    this.debt = 0;
    const isExact = isBelow(limits.requestsPerMinute) || isBelow(limits.tokensPerMinute);
    const lifeSeconds = isExact ? EXACT_LIFE_SECONDS : this.config.sliceSeconds;
    const share = (limit: number, need: number, waiting: number) =>
      isExact || need === 0 ? need : Math.max(need, waiting, Math.floor(limit / SLICES_OF_A_LIMIT));
    const waitingTokens = this.waiters.reduce((sum, waiter) => sum + waiter.tokens, 0);
    const sliceId = newId('slc');
    const askedAtMillis = performance.now();
    let grant: SliceGrant;
    try {
      grant = await drawSlice(this.database, {
        ...{ subjectId: this.subject.id, accountId: this.subject.accountId, sliceId, limits },
        ...{ requests, tokens, lifeSeconds, windowSeconds: this.config.windowSeconds },
        wantRequests: share(limits.requestsPerMinute ?? WITHOUT_LIMIT, requests, this.waiters.length),
        wantTokens: share(tokensOfAMinute(limits), tokens, waitingTokens),
        used: used.map(({ id, usedRequests, usedTokens }) => ({
          id,
          requests: usedRequests,
          tokens: usedTokens,
        })),
        debt,
      });
    } catch (error) {
      for (const slice of used) this.ended.set(slice.id, slice);
      this.debt += debt;
      throw error;
    }
    this.state = {
      freeRequests: grant.freeRequests,
      freeTokens: grant.freeTokens,
      resetRequestsAt: askedAtMillis + grant.resetRequestsSeconds * 1000,
      resetTokensAt: askedAtMillis + grant.resetTokensSeconds * 1000,
    };
    // Limits that have changed meanwhile are not those of the slice.
    const isCurrent = this.limits === limits;
    if (grant.refusal === null && requests > 0) {
      const slice = {
        id: sliceId,
        requests: grant.requests,
        tokens: grant.tokens,
        usedRequests: 0,
        usedTokens: 0,
        deadlineMillis: askedAtMillis + lifeSeconds * 1000,
      };
      if (isCurrent) this.slice = slice;
      else this.ended.set(sliceId, slice);
    }
    return grant;
  }
}

/** Of a day a slice takes what is used evenly. */
const tokensOfAMinute = ({ tokensPerMinute, tokensPerDay }: ModelLimits): number =>
  tokensPerMinute ?? (tokensPerDay ?? 0) / MINUTES_PER_DAY;

const isBelow = (limit: number | null): boolean => limit !== null && limit < EXACT_BELOW;
