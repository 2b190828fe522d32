import { createHash } from 'node:crypto';
import { Database } from '@inference/database';
import { picosToDecimal } from '@inference/money';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { GatewayError } from '../errors/openai-error';
import { type CallNotes } from '../unserved-calls/call-notes';
import { claimCall, holdCalls, type IdempotentRequest, releaseCall } from './idempotent-calls.repository';

const HEADER = 'Idempotency-Key';

/** Another body was sent with the key before. */
class IdempotencyKeyReusedError extends GatewayError {
  constructor() {
    super('idempotency_key_reused', `${HEADER}: was used for another request in the last day`, HEADER);
  }
}

/** Another process works on the call. */
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
/** How long an answer is kept for a retry. Specified (design, section 15). */
const KEPT_MILLIS = 10 * 60_000;
/** All kept answers of a process; the oldest go first. Chosen: some thousand answers. */
const MOST_KEPT_BYTES = 64 * 1024 * 1024;

/** An answer as it is sent, also to a client that asks for it again. */
export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Names the call in the usage of the account. */
  requestId: string;
  /** Whether the call was charged, so that a retry must not make a new one. */
  isCharged: boolean;
}

interface Entry {
  bodyHash: string;
  requestId: string;
  answer: Promise<KeptAnswer>;
  /** Undefined while the call runs. */
  kept?: { bytes: number; untilMillis: number };
}

const hashOf = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

/** Makes calls with an idempotency key once: a retry waits for the call that runs, or gets its answer again. */
@Injectable()
export class IdempotentCalls implements OnApplicationShutdown {
  private readonly logger = new Logger(IdempotentCalls.name);
  /** The calls that run and the answers that are kept, oldest first. */
  private readonly entries = new Map<string, Entry>();
  private keptBytes = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly database: Database) {
    this.timer = setInterval(() => void this.maintain(), RENEW_MILLIS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /**
   * Returns the answer of the call with this key, which `run` gives if there has been none. It runs on whoever leaves.
   * Rejects with IdempotencyKeyReusedError, IdempotencyKeyInUseError or AlreadyChargedError, and with what `run` rejects with.
   */
  async once(
    call: CallNotes,
    key: string,
    body: Buffer,
    run: () => Promise<KeptAnswer>,
  ): Promise<{ answer: KeptAnswer; isRepeated: boolean }> {
    const { caller, endpoint, requestId } = call;
    const request: IdempotentRequest = {
      accountId: caller.accountId,
      apiKeyId: caller.apiKey?.id ?? '',
      endpoint,
      idempotencyHash: hashOf(key),
      bodyHash: hashOf(body),
    };
    const scope = JSON.stringify([request.accountId, request.apiKeyId, endpoint, key]);
    const known = this.entries.get(scope);
    if (known) {
      if (known.bodyHash !== request.bodyHash) throw new IdempotencyKeyReusedError();
      return { answer: await known.answer, isRepeated: true };
    }
    const entry: Entry = {
      bodyHash: request.bodyHash,
      requestId,
      answer: this.runClaimed(request, requestId, run),
    };
    this.entries.set(scope, entry);
    try {
      const answer = await entry.answer;
      if (answer.isCharged) this.keep(entry, answer.body.length);
      else this.entries.delete(scope);
      return { answer, isRepeated: false };
    } catch (error) {
      this.entries.delete(scope);
      throw error;
    }
  }

  private async runClaimed(
    request: IdempotentRequest,
    requestId: string,
    run: () => Promise<KeptAnswer>,
  ): Promise<KeptAnswer> {
    const claim = await claimCall(this.database, request, requestId, CLAIM_SECONDS);
    if (claim.outcome === 'other_body') throw new IdempotencyKeyReusedError();
    if (claim.outcome === 'running') throw new IdempotencyKeyInUseError();
    if (claim.outcome === 'charged') throw new AlreadyChargedError(claim.claimedBy, claim.costPicos);
    try {
      const answer = await run();
      if (!answer.isCharged) await this.release(request.accountId, requestId);
      return answer;
    } catch (error) {
      // Whether it was charged is decided later; until then the claim stands.
      const isUndecided = (error as { code?: unknown }).code === 'billing_unknown';
      if (!isUndecided) await this.release(request.accountId, requestId);
      throw error;
    }
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
    entry.kept = { bytes, untilMillis: performance.now() + KEPT_MILLIS };
    this.keptBytes += bytes;
    for (const [scope, { kept }] of this.entries) {
      if (this.keptBytes <= MOST_KEPT_BYTES) break;
      if (kept) this.forget(scope, kept);
    }
  }

  private forget(scope: string, { bytes }: NonNullable<Entry['kept']>): void {
    this.entries.delete(scope);
    this.keptBytes -= bytes;
  }

  private async maintain(): Promise<void> {
    const running: string[] = [];
    for (const [scope, { kept, requestId }] of this.entries) {
      if (!kept) running.push(requestId);
      else if (performance.now() > kept.untilMillis) this.forget(scope, kept);
    }
    if (running.length === 0) return;
    await holdCalls(this.database, running, CLAIM_SECONDS).catch((error: unknown) =>
      this.logger.warn(`Claims of idempotency keys were not renewed: ${String(error)}`),
    );
  }
}
