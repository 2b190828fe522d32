import { Database, newId } from '@inference/database';
import { type ModelLimits } from '@inference/rate-limits';
import { type DirectoryUpstream } from '@inference/serving';
import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { AnswerMeans, type CallSize } from '../limits/answer-means';
import { LIMITS_CONFIG, type LimitsConfig } from '../limits/limits.config';
import { RateSlices, type Refused, type Subject, Taken } from '../limits/rate-slices';
import { Slots } from '../limits/slots';
import { type Unit } from './choice/account-shares';
import { type SharedLimits, type UpstreamLoad } from './choice/chooser';

/** How often slices are reported and slots are kept. Chosen: what a process does not use is free for others within a second. */
const UPKEEP_MILLIS = 500;
/** How long the end of the process waits for the last reports. */
const SHUTDOWN_PATIENCE_MILLIS = 2_000;
/** Until a call may have ended, or the database may answer again. */
const RETRY_MILLIS = 1_000;

/** How long a call waits for the database. Chosen: much longer than a draw takes, and shorter than clients wait. */
const PATIENCE_MILLIS = 2_000;
/** How many calls take the whole limit of tokens while no answer of the model is known. Chosen: as slices. */
const FIRST_CALLS = 12;

/** How long an upstream takes no such call. */
export interface Full {
  waitMillis: number;
}

/** A call that counts against the limits of its upstream. */
export class UpstreamTicket {
  private isReleased = false;
  private isMetered = false;

  /** @param tokens that are counted until it is known what the call uses */
  constructor(
    private readonly limits: UpstreamLimits,
    private readonly taken: Taken | null,
    readonly tokens: number,
    private readonly slots: Slots | null,
  ) {}

  /** The call does not run any more. */
  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    if (this.slots) this.slots.release();
    else this.limits.endedUncounted();
  }

  /** What the call has used: the rest is free again, and what is beyond is owed. */
  used(tokens: number): void {
    if (this.isMetered) return;
    this.isMetered = true;
    if (tokens > this.tokens) this.limits.owe(tokens - this.tokens);
    else this.taken?.giveBack(this.tokens - tokens);
  }

  /** The call is not made. */
  cancel(): void {
    this.release();
    if (this.isMetered) return;
    this.isMetered = true;
    this.taken?.cancel();
  }
}

/** What all gateways together may send to one upstream. */
export class UpstreamLimits implements SharedLimits {
  private readonly logger = new Logger(UpstreamLimits.name);
  private readonly subject: Subject;
  private limits: ModelLimits | undefined;
  private rates: RateSlices | null = null;
  private slots: Slots | null = null;
  /** Calls that ran before running calls were limited, and are counted since. */
  private adopted = 0;
  private unavailableUntilMillis = 0;

  constructor(
    id: string,
    private readonly database: Database,
    private readonly config: LimitsConfig,
    private readonly holder: string,
    private readonly means: AnswerMeans,
  ) {
    this.subject = { id: `upstream:${id}`, accountId: '' };
  }

  /** @param running calls of this process that run already */
  change(limits: ModelLimits, running: number): void {
    const { requestsPerMinute, tokensPerMinute, maxConcurrency } = limits;
    const former = this.limits;
    this.limits = limits;
    const isSameRate =
      requestsPerMinute === former?.requestsPerMinute && tokensPerMinute === former.tokensPerMinute;
    if (!isSameRate) this.rates?.change(limits);
    if (hasRate(limits)) this.rates ??= new RateSlices(this.database, this.config, this.subject, limits);
    if (maxConcurrency === former?.maxConcurrency) return;
    if (maxConcurrency === null) return this.disown();
    this.slots ??= new Slots(this.database, this.config, this.subject, this.holder, maxConcurrency);
    this.slots.change(maxConcurrency);
    const uncounted = Math.max(0, running - this.slots.runningNow);
    this.adopted += uncounted;
    this.slots.adopt(uncounted);
  }

  private disown(): void {
    while (this.adopted > 0) this.endedUncounted();
  }

  /** Counts a call. Waits for the database only if this process has nothing left of what it has drawn. */
  take(model: string, size: CallSize): UpstreamTicket | Full | Promise<UpstreamTicket | Full> {
    if (performance.now() < this.unavailableUntilMillis) return { waitMillis: RETRY_MILLIS };
    const slots = this.limits!.maxConcurrency === null ? null : this.slots;
    const slot = slots?.acquire();
    const taken =
      slot instanceof Promise
        ? slot.then((hasSlot) => this.takeRate(model, size, slots, hasSlot))
        : this.takeRate(model, size, slots, slot);
    return taken instanceof Promise ? this.soon(taken) : taken;
  }

  owe(tokens: number): void {
    this.rates?.owe(tokens);
  }

  /** How long the answers of a call were: later ones are estimated by it. */
  learn(model: string, outputTokens: number, answers: number): void {
    this.means.learn(model, outputTokens, answers);
  }

  /** A call has ended that was not counted when it began. */
  endedUncounted(): void {
    if (this.adopted === 0) return;
    this.adopted -= 1;
    this.slots?.release();
  }

  isFull(): boolean {
    const { maxConcurrency } = this.limits!;
    return (
      performance.now() < this.unavailableUntilMillis ||
      (maxConcurrency !== null && this.slots!.isFull) ||
      (hasRate(this.limits!) && this.rates!.isFull)
    );
  }

  roomFor(unit: Unit, own: number): number | null {
    const limits = this.limits!;
    if (unit === 'running') return limits.maxConcurrency === null ? null : this.slots!.room;
    const free = hasRate(limits) ? this.rates!.remaining[unit] : null;
    return free && own + free.remaining;
  }

  /** Tells the database what was used, and keeps or gives back what was not. */
  async maintain(): Promise<void> {
    await this.rates?.report();
    await this.slots?.maintain();
  }

  /** Gives back what the calls that run do not need. */
  async end(): Promise<void> {
    this.rates?.endSlice();
    await this.rates?.report();
    await this.slots?.end();
  }

  private takeRate(
    model: string,
    size: CallSize,
    slots: Slots | null,
    hasSlot: boolean | undefined,
  ): UpstreamTicket | Full | Promise<UpstreamTicket | Full> {
    if (hasSlot === false) return { waitMillis: RETRY_MILLIS };
    const limits = this.limits!;
    if (!hasRate(limits)) return new UpstreamTicket(this, null, 0, slots);
    const most = limits.tokensPerMinute;
    // A call of more than the limit is let in when nothing else is counted.
    const tokens =
      most === null ? 0 : Math.min(most, this.means.expectedTokens(model, size, most / FIRST_CALLS));
    const ticketOf = (taken: Taken | Refused) => {
      if (taken instanceof Taken) return new UpstreamTicket(this, taken, tokens, slots);
      slots?.release();
      return { waitMillis: taken.waitMillis };
    };
    const taken = this.rates!.take(tokens);
    if (!(taken instanceof Promise)) return ticketOf(taken);
    return taken.then(ticketOf, (error: unknown) => {
      slots?.release();
      throw error;
    });
  }

  /** Full if the database fails or does not answer soon. What it grants later is given back. */
  private soon(taking: Promise<UpstreamTicket | Full>): Promise<UpstreamTicket | Full> {
    return new Promise((resolve) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        resolve(this.unavailable(new Error('the database does not answer')));
      }, PATIENCE_MILLIS);
      taking
        .then(
          (taken) => {
            if (!isLate) resolve(taken);
            else if (taken instanceof UpstreamTicket) taken.cancel();
          },
          (error: unknown) => resolve(this.unavailable(error)),
        )
        .finally(() => clearTimeout(timer));
    });
  }

  private unavailable(error: unknown): Full {
    this.unavailableUntilMillis = performance.now() + RETRY_MILLIS;
    this.logger.warn(`No call of ${this.subject.id} can be counted: ${(error as Error).message}`);
    return { waitMillis: RETRY_MILLIS };
  }
}

const hasRate = ({ requestsPerMinute, tokensPerMinute }: ModelLimits) =>
  requestsPerMinute !== null || tokensPerMinute !== null;

/** The limits of all upstreams that have any. */
@Injectable()
export class LimitedUpstreams implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(LimitedUpstreams.name);
  private readonly holder = newId('gw');
  private readonly means = new AnswerMeans();
  private readonly known = new Map<string, UpstreamLimits>();
  private timer: NodeJS.Timeout | undefined;
  private upkeep: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    @Inject(LIMITS_CONFIG) private readonly config: LimitsConfig,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.upkeep ??= this.forAll((limits) => limits.maintain()).finally(() => (this.upkeep = undefined));
    }, UPKEEP_MILLIS);
  }

  /** Calls that still run keep their slots until these expire. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    const patience = new Promise<void>((resolve) => setTimeout(resolve, SHUTDOWN_PATIENCE_MILLIS).unref());
    const end = async () => {
      await this.upkeep;
      await this.forAll((limits) => limits.end());
    };
    await Promise.race([end(), patience]);
  }

  /** The limits that are in force for an upstream from now on; undefined: none. */
  of(
    {
      id,
      requestsPerMinute,
      tokensPerMinute,
      concurrency,
    }: Pick<DirectoryUpstream, 'id' | 'requestsPerMinute' | 'tokensPerMinute' | 'concurrency'>,
    load: UpstreamLoad,
  ): UpstreamLimits | undefined {
    const limits = { requestsPerMinute, tokensPerMinute, tokensPerDay: null, maxConcurrency: concurrency };
    const isLimited = hasRate(limits) || concurrency !== null;
    let found = this.known.get(id);
    if (!found && !isLimited) return undefined;
    if (!found)
      this.known.set(
        id,
        (found = new UpstreamLimits(id, this.database, this.config, this.holder, this.means)),
      );
    found.change(limits, load.running);
    return isLimited ? found : undefined;
  }

  private async forAll(act: (limits: UpstreamLimits) => Promise<void>): Promise<void> {
    for (const result of await Promise.allSettled([...this.known.values()].map(act)))
      if (result.status === 'rejected')
        this.logger.warn(`The use of a limit was not reported: ${String(result.reason)}`);
  }
}
