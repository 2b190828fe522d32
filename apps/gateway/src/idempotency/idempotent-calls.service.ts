import { createHash } from 'node:crypto';
import { Database } from '@inference/database';
import { picosToDecimal } from '@inference/money';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { GatewayError } from '../errors/openai-error';
import { type CallNotes } from '../unserved-calls/call-notes';
import { CallRelay } from './call-relay';
import { claimCall, holdCalls, type IdempotentRequest, releaseCall } from './idempotent-calls.repository';
import { type KeptAnswer, MOST_KEPT_BYTES } from './kept-answer';
import { KeptBytes } from './kept-bytes';

const HEADER = 'Idempotency-Key';

/** Another body was sent with the key before. */
class IdempotencyKeyReusedError extends GatewayError {
  constructor() {
    super('idempotency_key_reused', `${HEADER}: was used for another request in the last day`, HEADER);
  }
}

/** Another process works on the call, and cannot be asked for its answer. */
class IdempotencyKeyInUseError extends GatewayError {
  constructor() {
    super('idempotency_key_in_use', `${HEADER}: its call is running. Try again when it has ended.`, HEADER);
  }
}

/** The call was charged, and no process has its answer any more. */
class AlreadyChargedError extends GatewayError {
  constructor(requestId: string, costPicos: bigint) {
    const cost = picosToDecimal(costPicos);
    super(
      'already_charged',
      `${HEADER}: its call ${requestId} was charged ${cost}, and its answer is not kept any longer. Another key makes a new call.`,
      HEADER,
      { request_id: requestId, cost },
    );
  }
}

/** How long a claim stands that its process does not renew. Chosen: longer than a settlement is waited for (SETTLEMENT_PATIENCE_SECONDS). */
const CLAIM_SECONDS = 60;
const RENEW_MILLIS = 10_000;
/** Before a call is charged whose claim was renewed longer ago, it is renewed. Chosen: two renewals have failed, or the process stood still. */
const SURE_MILLIS = 25_000;
/** How long an answer is kept for a retry. Specified (design, section 15). */
const KEPT_MILLIS = 10 * 60_000;
/** What an answer takes beside its body: its headers, its key and its places in the lists. Estimated. */
const ENTRY_BYTES = 2_048;

/** The answer of a call. */
interface Outcome {
  answer: KeptAnswer;
  /** Whether another process made the call. */
  isRelayed: boolean;
}

interface Entry {
  accountId: string;
  scope: string;
  bodyHash: string;
  requestId: string;
  outcome: Promise<Outcome>;
  /** When it was last certain that no other process may claim the call. */
  heldMillis: number;
  /** Undefined while the call runs. */
  keptUntilMillis?: number;
}

/**
 * Makes calls with an idempotency key once: a retry waits for the call that runs, or gets its answer again. If another process runs it, or
 * has its answer, the retry gets it from there.
 */
@Injectable()
export class IdempotentCalls implements OnApplicationShutdown {
  private readonly logger = new Logger(IdempotentCalls.name);
  /** The calls that run and the answers that are kept, by what their keys are unique in. */
  private readonly entries = new Map<string, Entry>();
  /** The same by their ids, for other processes. */
  private readonly entriesById = new Map<string, Entry>();
  private readonly kept = new KeptBytes<Entry>(MOST_KEPT_BYTES);
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly database: Database,
    private readonly relay: CallRelay,
  ) {
    this.timer = setInterval(() => void this.maintain(), RENEW_MILLIS).unref();
    relay.answerFrom((requestId) => this.entriesById.get(requestId)?.outcome.then(({ answer }) => answer));
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /**
   * Returns the answer of the call with this key, which `run` gives if there has been none. It runs on whoever leaves.
   * Rejects with IdempotencyKeyReusedError, IdempotencyKeyInUseError or AlreadyChargedError, and with what `run` rejects with.
   * @param run makes the call. Before it charges the call it waits for `confirm`, which rejects if another process may have made it meanwhile
   */
  async once(
    call: CallNotes,
    key: string,
    bodyHash: string,
    run: (confirm: () => Promise<void>) => Promise<KeptAnswer>,
  ): Promise<{ answer: KeptAnswer; isRepeated: boolean }> {
    const { caller, endpoint, requestId } = call;
    const request: IdempotentRequest = {
      accountId: caller.accountId,
      apiKeyId: caller.apiKey?.id ?? '',
      endpoint,
      idempotencyHash: createHash('sha256').update(key).digest('hex'),
      bodyHash,
    };
    const scope = JSON.stringify([request.accountId, request.apiKeyId, endpoint, key]);
    const known = this.entries.get(scope);
    if (known) {
      if (known.bodyHash !== bodyHash) throw new IdempotencyKeyReusedError();
      return { answer: (await known.outcome).answer, isRepeated: true };
    }
    const { accountId } = request;
    const entry = { accountId, scope, bodyHash, requestId, heldMillis: performance.now() } as Entry;
    entry.outcome = this.make(entry, request, run);
    this.entries.set(scope, entry);
    this.entriesById.set(requestId, entry);
    try {
      const { answer, isRelayed } = await entry.outcome;
      if (answer.isCharged && !isRelayed) this.keep(entry, answer.body.length);
      else this.forget(entry);
      return { answer, isRepeated: isRelayed };
    } catch (error) {
      this.forget(entry);
      throw error;
    }
  }

  /** Makes the call if no other process has, and otherwise asks that process for the answer. */
  private async make(
    entry: Entry,
    request: IdempotentRequest,
    run: (confirm: () => Promise<void>) => Promise<KeptAnswer>,
  ): Promise<Outcome> {
    let asked: string | null = null;
    for (let attempt = 0; ; attempt++) {
      entry.heldMillis = performance.now();
      const { outcome, claimedBy, owner, costPicos } = await claimCall(
        this.database,
        request,
        entry.requestId,
        CLAIM_SECONDS,
        this.relay.address,
      );
      if (outcome === 'claimed')
        return { answer: await this.runClaimed(entry, request, run), isRelayed: false };
      if (outcome === 'other_body') throw new IdempotencyKeyReusedError();
      if (owner !== null && claimedBy !== null && claimedBy !== asked) {
        const answer = await this.relay.ask(owner, claimedBy);
        if (answer) return { answer, isRelayed: true };
      }
      if (outcome === 'charged') throw new AlreadyChargedError(claimedBy!, costPicos!);
      // The call may have ended meanwhile: without a charge, so that it can be made, or with one.
      if (attempt > 0) throw new IdempotencyKeyInUseError();
      asked = claimedBy;
    }
  }

  private async runClaimed(
    entry: Entry,
    { accountId }: IdempotentRequest,
    run: (confirm: () => Promise<void>) => Promise<KeptAnswer>,
  ): Promise<KeptAnswer> {
    const { requestId } = entry;
    try {
      const answer = await run(() => this.confirm(entry));
      if (!answer.isCharged) await this.release(accountId, requestId);
      return answer;
    } catch (error) {
      // Whether it was charged is decided later; until then the claim stands.
      const isUndecided = (error as { code?: unknown }).code === 'billing_unknown';
      if (!isUndecided) await this.release(accountId, requestId);
      throw error;
    }
  }

  /**
   * Called before a call is charged. A process that stood still, or was without its database, may have lost the call to another one: then it
   * is not charged here.
   */
  private async confirm(entry: Entry): Promise<void> {
    if (performance.now() - entry.heldMillis < SURE_MILLIS) return;
    if (!(await this.hold([entry])).has(entry.requestId)) throw new IdempotencyKeyInUseError();
  }

  /** Returns the ids of the calls that are still claimed. */
  private async hold(entries: Entry[]): Promise<Set<string>> {
    const nowMillis = performance.now();
    const ids = await holdCalls(
      this.database,
      entries.map(({ requestId }) => requestId),
      CLAIM_SECONDS,
    );
    const held = new Set(ids);
    for (const entry of entries) if (held.has(entry.requestId)) entry.heldMillis = nowMillis;
    return held;
  }

  /** A claim that cannot be released now lapses. */
  private async release(accountId: string, requestId: string): Promise<void> {
    try {
      await releaseCall(this.database, accountId, requestId);
    } catch (error) {
      this.logger.warn(`The idempotency key of ${requestId} was not released: ${String(error)}`);
    }
  }

  private keep(entry: Entry, bytes: number): void {
    entry.keptUntilMillis = performance.now() + KEPT_MILLIS;
    for (const gone of this.kept.add(entry.accountId, entry, bytes + ENTRY_BYTES)) this.forget(gone);
  }

  private forget(entry: Entry): void {
    this.entries.delete(entry.scope);
    this.entriesById.delete(entry.requestId);
    this.kept.remove(entry.accountId, entry);
  }

  private async maintain(): Promise<void> {
    const running: Entry[] = [];
    for (const entry of this.entries.values()) {
      if (entry.keptUntilMillis === undefined) running.push(entry);
      else if (performance.now() > entry.keptUntilMillis) this.forget(entry);
    }
    if (running.length === 0) return;
    await this.hold(running).catch((error: unknown) =>
      this.logger.warn(`Claims of idempotency keys were not renewed: ${String(error)}`),
    );
  }
}
