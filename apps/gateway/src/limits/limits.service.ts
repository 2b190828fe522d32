import { Database, newId } from '@inference/database';
import { type Caller } from '@inference/guards';
import { inputTokensOf, type MeterCounts, outputTokensOf } from '@inference/metering';
import { type ModelLimits } from '@inference/rate-limits';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { AccountLimits } from './account-limits';
import { AnswerMeans, type CallSize } from './answer-means';
import {
  limitHeaders,
  type LimitName,
  RateLimitExceededError,
  RequestTooLargeError,
  type Shown,
  type ShownLimits,
  tighter,
} from './limit-headers';
import { LimitMetrics } from './limit-metrics';
import { LimitUses } from './limit-uses';
import { LIMITS_CONFIG, type LimitsConfig } from './limits.config';
import { type PartUse } from './limits.repository';
import { RateSlices, type Refused, type Subject, Taken } from './rate-slices';
import { Slots } from './slots';

/** How often slices are reported and slots are kept. Chosen: what a process does not use is free for others within a second. */
const UPKEEP_MILLIS = 500;
/** How long the end of the process waits for the last reports. */
const SHUTDOWN_PATIENCE_MILLIS = 2_000;
const SHUTDOWN_POLL_MILLIS = 20;
/** Until a call may have ended. */
const CONCURRENCY_WAIT_MILLIS = 1_000;

/** From which use on a limit is nearly reached. Chosen: at half of it an even use would count, and at nine tenths small limits never would. */
const TIGHT_SHARE = 0.8;

const LIMIT_OF_RATE = {
  requests: 'requests_per_minute',
  tokens: 'tokens_per_minute',
  day: 'tokens_per_day',
} as const;

/** What a request may use. */
export interface LimitedRequest extends CallSize {
  call: { caller: Caller; endpoint: string };
  model: string;
  /** Whether the request names the limit of its output itself. */
  namesOutput: boolean;
}

interface CallerSubject extends Subject {
  kind: 'key' | 'account';
}

/** The state of one subject in this process. */
interface Limited {
  subject: CallerSubject;
  limits: ModelLimits;
  rates: RateSlices | null;
  slots: Slots | null;
  /** Calls that are to count against it and have not ended. */
  open: number;
}

interface Held {
  limited: Limited;
  taken: Taken | null;
  hasSlot: boolean;
  /** Where it is counted for the history; null before it is admitted. */
  use: PartUse | null;
}

const countsTokens = ({ tokensPerMinute, tokensPerDay }: ModelLimits) =>
  tokensPerMinute !== null || tokensPerDay !== null;

const hasRate = (limits: ModelLimits) => limits.requestsPerMinute !== null || countsTokens(limits);

/** A call that counts against limits. Ends exactly once. */
export class LimitTicket {
  private usedTokens = 0;
  private isEnded = false;

  constructor(
    private readonly held: readonly Held[],
    private readonly reservedTokens: number,
    private readonly uses: LimitUses,
    readonly headers: () => Record<string, string>,
    private readonly onUsed: (counts: MeterCounts) => void,
  ) {}

  /** Tells the client the state of its limits. */
  tell(response: { setHeader(name: string, value: string): unknown }): void {
    for (const [name, value] of Object.entries(this.headers())) response.setHeader(name, value);
  }

  /** What the call has used, before its end. */
  used(counts: MeterCounts): void {
    this.usedTokens = inputTokensOf(counts) + outputTokensOf(counts);
    this.onUsed(counts);
  }

  /** The call does not run any more: also when its client has left. What it used beyond what was counted is owed. */
  end(): void {
    if (!this.finish()) return;
    const owed = this.usedTokens - this.reservedTokens;
    if (owed <= 0) return;
    for (const { limited } of this.held) {
      limited.rates?.owe(owed);
      this.uses.of(limited.subject, limited.limits).tokens += owed;
    }
  }

  /** The request is refused for another reason, and does not count. */
  cancel(): void {
    if (!this.finish()) return;
    for (const { taken, use } of this.held) {
      taken?.cancel();
      if (!use) continue;
      use.requests -= 1;
      use.tokens -= this.reservedTokens;
    }
  }

  private finish(): boolean {
    if (this.isEnded) return false;
    this.isEnded = true;
    for (const { limited, hasSlot } of this.held) {
      limited.open -= 1;
      if (hasSlot) limited.slots?.release();
    }
    return true;
  }
}

/** Decides whether the limits of a key and of an account let a request in. */
@Injectable()
export class LimitsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(LimitsService.name);
  private readonly holder = newId('gw');
  private readonly known = new Map<string, Limited>();
  private readonly means = new AnswerMeans();
  private readonly uses: LimitUses;
  private timer: NodeJS.Timeout | undefined;
  private upkeep: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    @Inject(LIMITS_CONFIG) private readonly config: LimitsConfig,
    private readonly accounts: AccountLimits,
    private readonly metrics: LimitMetrics,
  ) {
    this.uses = new LimitUses(database, config);
  }

  onApplicationBootstrap(): void {
    void this.uses.report();
    this.timer = setInterval(() => {
      this.upkeep ??= this.maintain().finally(() => (this.upkeep = undefined));
    }, UPKEEP_MILLIS);
  }

  /** Waits for calls whose client has left, which still run. All other requests have ended. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.upkeep;
    const limit = performance.now() + SHUTDOWN_PATIENCE_MILLIS;
    for (const { rates } of this.known.values()) rates?.endSlice();
    const ends = this.forAll(async ({ rates, slots }) => {
      await rates?.report();
      await slots?.end();
    });
    let isDone = false;
    void Promise.all([ends, this.uses.report(true)]).then(() => (isDone = true));
    while (!isDone && performance.now() < limit)
      await new Promise((resolve) => setTimeout(resolve, SHUTDOWN_POLL_MILLIS));
  }

  /** How large its share of a full upstream is beside those of others. */
  weightOf(accountId: string): number {
    return this.accounts.weightOf(accountId);
  }

  /**
   * Counts a request against each limit that applies; null if none does. The ticket must end with the call. Throws
   * RateLimitExceededError and RequestTooLargeError.
   */
  admit(request: LimitedRequest): LimitTicket | null | Promise<LimitTicket | null> {
    const { caller } = request.call;
    const ofAccount = this.accounts.of(caller.accountId, request.model);
    if (!(ofAccount instanceof Promise)) return this.admitWith(request, ofAccount);
    return ofAccount.then((limits) => this.admitWith(request, limits));
  }

  private admitWith(request: LimitedRequest, ofAccount: ModelLimits | null): null | Promise<LimitTicket> {
    const { accountId, apiKey } = request.call.caller;
    const pace = apiKey?.pace;
    if (!pace && !ofAccount) return null;
    const limited: Limited[] = [];
    if (apiKey && pace)
      limited.push(
        this.find({ id: `key:${apiKey.id}`, accountId, kind: 'key' }, { tokensPerDay: null, ...pace }),
      );
    if (ofAccount) {
      const id = `account:${accountId}:${request.model}`;
      limited.push(this.find({ id, accountId, kind: 'account' }, ofAccount));
    }
    return this.take(request, limited);
  }

  private async take(request: LimitedRequest, all: Limited[]): Promise<LimitTicket> {
    const tokens = all.some(({ limits }) => countsTokens(limits)) ? this.reservedTokens(request) : 0;
    const isAnthropic = request.call.endpoint === 'messages';
    const headers = () => limitHeaders(this.shown(all), isAnthropic ? this.uses.databaseMillis : null);
    // Before anything is waited for: a subject without calls may be dropped meanwhile.
    const held = all.map((limited): Held => ({ limited, taken: null, hasSlot: false, use: null }));
    for (const limited of all) limited.open += 1;
    const ticket = new LimitTicket(held, tokens, this.uses, headers, (counts) =>
      this.means.learn(request.model, outputTokensOf(counts), request.answers),
    );
    try {
      for (const entry of held) {
        const { limited } = entry;
        const { subject, limits } = limited;
        const slots = limits.maxConcurrency === null ? null : limited.slots;
        const rates = hasRate(limits) ? limited.rates : null;
        const refuse = (
          name: 'concurrency' | (typeof LIMIT_OF_RATE)[keyof typeof LIMIT_OF_RATE],
          waitMillis: number,
        ) => this.refuse(subject, `${subject.kind}_${name}`, limits, waitMillis, headers());
        this.refuseTooLarge(subject, limits, tokens, headers);
        if (slots) entry.hasSlot = await slots.acquire();
        if (slots && !entry.hasSlot) throw refuse('concurrency', CONCURRENCY_WAIT_MILLIS);
        const taken: Taken | Refused | null = rates && (await rates.take(countsTokens(limits) ? tokens : 0));
        if (taken && !(taken instanceof Taken)) throw refuse(LIMIT_OF_RATE[taken.rate], taken.waitMillis);
        entry.taken = taken;
      }
    } catch (error) {
      ticket.cancel();
      throw error;
    }
    this.metrics.admitted(all.flatMap(tightLimitsOf));
    for (const entry of held) {
      const { subject, limits, slots } = entry.limited;
      const use = (entry.use = this.uses.of(subject, limits));
      use.requests += 1;
      use.tokens += tokens;
      if (slots) use.running = Math.max(use.running, slots.runningNow);
    }
    return ticket;
  }

  private refuse(
    subject: CallerSubject,
    name: LimitName,
    limits: ModelLimits,
    waitMillis: number,
    headers: Record<string, string>,
  ): RateLimitExceededError {
    this.metrics.refused(name);
    this.uses.refused(subject, limits, name);
    return new RateLimitExceededError(name, valueOf(name, limits)!, waitMillis, headers);
  }

  private refuseTooLarge(
    subject: CallerSubject,
    limits: ModelLimits,
    tokens: number,
    headers: () => Record<string, string>,
  ): void {
    for (const unit of ['tokens_per_minute', 'tokens_per_day'] as const) {
      const name: LimitName = `${subject.kind}_${unit}`;
      const value = valueOf(name, limits);
      if (value === null || tokens <= value) continue;
      this.metrics.refused(name);
      this.uses.refused(subject, limits, name);
      throw new RequestTooLargeError(name, value, tokens, headers());
    }
  }

  /** The prompt's estimate, and the output limit that the request names or else what the model has answered lately. */
  private reservedTokens(request: LimitedRequest): number {
    const { model, promptTokens, outputTokens, namesOutput } = request;
    return namesOutput ? Math.ceil(promptTokens() + outputTokens) : this.means.expectedTokens(model, request);
  }

  private shown(all: Limited[]): ShownLimits {
    let shown: ShownLimits = { requests: null, tokens: null };
    for (const { rates, limits } of all) {
      if (!rates || !hasRate(limits)) continue;
      const { requests, tokens } = rates.remaining;
      shown = { requests: tighter(shown.requests, requests), tokens: tighter(shown.tokens, tokens) };
    }
    return shown;
  }

  /** The state of a subject, with the limits that are in force now. */
  private find(subject: CallerSubject, limits: ModelLimits): Limited {
    let limited = this.known.get(subject.id);
    if (!limited) {
      limited = { subject, limits, rates: null, slots: null, open: 0 };
      this.known.set(subject.id, limited);
    } else if (!isSame(limited.limits, limits)) {
      limited.limits = limits;
      limited.rates?.change(limits);
      if (limits.maxConcurrency !== null) limited.slots?.change(limits.maxConcurrency);
    }
    if (hasRate(limits)) limited.rates ??= new RateSlices(this.database, this.config, subject, limits);
    const { maxConcurrency } = limits;
    if (maxConcurrency !== null)
      limited.slots ??= new Slots(this.database, this.config, subject, this.holder, maxConcurrency);
    return limited;
  }

  private async maintain(): Promise<void> {
    await this.forAll(async ({ rates, slots }) => {
      await rates?.report();
      await slots?.maintain();
    });
    // Calls that began before count in each part while they run.
    for (const { subject, limits, slots } of this.known.values())
      if (slots && slots.runningNow > 0) {
        const use = this.uses.of(subject, limits);
        use.running = Math.max(use.running, slots.runningNow);
      }
    await this.uses.report();
    for (const [id, { rates, slots, open }] of this.known)
      if (open === 0 && (rates?.isIdle ?? true) && (slots?.isIdle ?? true)) this.known.delete(id);
  }

  private async forAll(act: (limited: Limited) => Promise<void>): Promise<void> {
    for (const result of await Promise.allSettled([...this.known.values()].map(act)))
      if (result.status === 'rejected')
        this.logger.warn(`The use of a limit was not reported: ${String(result.reason)}`);
  }
}

/**
 * Those of which little is left, as far as this process knows: of running calls it knows its own, and of a day only what the database refuses.
 */
function tightLimitsOf({ subject: { kind }, limits, rates, slots }: Limited): LimitName[] {
  const tight: LimitName[] = [];
  if (rates && hasRate(limits)) {
    const { requests, tokens } = rates.remaining;
    if (isTight(requests)) tight.push(`${kind}_requests_per_minute`);
    if (isTight(tokens)) tight.push(`${kind}_tokens_per_minute`);
  }
  const { maxConcurrency } = limits;
  if (slots && maxConcurrency !== null && slots.runningNow > maxConcurrency * TIGHT_SHARE)
    tight.push(`${kind}_concurrency`);
  return tight;
}

const isTight = (shown: Shown | null): boolean =>
  shown !== null && shown.limit - shown.remaining > shown.limit * TIGHT_SHARE;

function valueOf(name: LimitName, limits: ModelLimits): number | null {
  if (name.endsWith('concurrency')) return limits.maxConcurrency;
  if (name.endsWith('requests_per_minute')) return limits.requestsPerMinute;
  return name.endsWith('_day') ? limits.tokensPerDay : limits.tokensPerMinute;
}

const isSame = (one: ModelLimits, other: ModelLimits): boolean =>
  one.requestsPerMinute === other.requestsPerMinute &&
  one.tokensPerMinute === other.tokensPerMinute &&
  one.tokensPerDay === other.tokensPerDay &&
  one.maxConcurrency === other.maxConcurrency;
