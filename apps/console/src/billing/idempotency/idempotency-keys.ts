import { createHash } from 'node:crypto';
import { Database, type Executor, type Transaction } from '@inference/database';
import { BackgroundJobs, EVERY_TEN_MINUTES } from '@inference/jobs';
import { parseExact, stringifyExact } from '@inference/money';
import { ConflictException, Injectable } from '@nestjs/common';
import { type IdempotencyKey, type IdempotentOperation } from './idempotency-key.entity';
import {
  deleteOldIdempotencyKeys,
  deleteUnansweredKey,
  findIdempotencyKey,
  insertIdempotencyKey,
  storeAnswer,
} from './idempotency-keys.repository';

/** A request that must take effect once. */
export interface IdempotentRequest {
  /** The owner of the key. */
  accountId: string;
  operation: IdempotentOperation;
  /** The header `Idempotency-Key`; null: every request takes effect. */
  key: string | null;
  /** Everything that distinguishes the request from another one under the same key. The order of fields counts; a DTO has that of its class. */
  content: unknown;
}

/** Members added in later versions. Stored answers of earlier versions lack them. Nothing was refunded at the time of a first answer. */
const ADDED_MEMBERS: Record<IdempotentOperation, object> = {
  payment: { refunded_amount: 0, refunds: [] },
  invoice: { refunded_amount: 0 },
  refund: {},
};

const answerFrom = (stored: string, { operation }: IdempotentRequest): object => ({
  ...ADDED_MEMBERS[operation],
  ...(parseExact(stored) as object),
});

/** An earlier request with the same key. */
export interface EarlierRequest {
  /** The resource that it creates. */
  resourceId: string | null;
  /** Null if it has not been answered. */
  answer: unknown;
}

/**
 * Claims the key for the request, as part of the caller's transaction. Returns null if the request is new, otherwise the
 * earlier request with this key. Of two concurrent requests the second waits until the first one's transaction has ended.
 * Throws 409 if the key was used for a different request.
 */
export async function claimIdempotencyKey(
  transaction: Transaction,
  request: IdempotentRequest,
  resourceId: string | null,
): Promise<EarlierRequest | null> {
  const { accountId, operation, key } = request;
  if (key === null) return null;
  const fingerprint = createHash('sha256').update(stringifyExact(request.content)).digest();
  const path = { accountId, operation, key };
  let earlier: IdempotencyKey | null;
  do {
    if (await insertIdempotencyKey(transaction, { ...path, fingerprint, resourceId })) return null;
    // Null if the key was released in between; then it is claimed again.
    earlier = await findIdempotencyKey(transaction, path);
  } while (!earlier);
  if (!earlier.fingerprint.equals(fingerprint))
    throw new ConflictException('the idempotency key was used for a different request');
  return {
    resourceId: earlier.resourceId,
    answer: earlier.answer === null ? null : answerFrom(earlier.answer, request),
  };
}

/** Stores the answer unless there is one already, and returns the stored one. */
export async function storeFirstAnswer<T>(
  executor: Executor,
  request: IdempotentRequest,
  answer: T,
): Promise<T> {
  const { accountId, operation, key } = request;
  if (key === null) return answer;
  const stored = await storeAnswer(executor, { accountId, operation, key }, stringifyExact(answer));
  return stored === undefined ? answer : (answerFrom(stored, request) as T);
}

/** Makes the key usable again after a request without effect. */
export async function releaseIdempotencyKey(
  transaction: Transaction,
  { accountId, operation, key }: IdempotentRequest,
): Promise<void> {
  if (key !== null) await deleteUnansweredKey(transaction, { accountId, operation, key });
}

/**
 * Runs work that needs only the database in one transaction with its stored answer. A repeated request gets the first
 * answer. Throws 409 if the key was used for a different request.
 */
export function runIdempotently<T>(
  database: Database,
  request: IdempotentRequest,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return database.transaction(async (transaction) => {
    const earlier = await claimIdempotencyKey(transaction, request, null);
    if (earlier) return earlier.answer as T;
    return storeFirstAnswer(transaction, request, await work(transaction));
  });
}

/** Rows of one statement, so that none holds its locks for long. */
const BATCH_ROWS = 1_000;

/** Deletes old idempotency keys. Any number of consoles may run it at once. */
@Injectable()
export class IdempotencyKeyCleanupJob {
  constructor(
    private readonly database: Database,
    jobs: BackgroundJobs,
  ) {
    jobs.schedule('delete-old-idempotency-keys', EVERY_TEN_MINUTES, () => this.run());
  }

  async run(): Promise<void> {
    while ((await deleteOldIdempotencyKeys(this.database, BATCH_ROWS)) === BATCH_ROWS);
  }
}
