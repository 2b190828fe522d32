import { createHash } from 'node:crypto';
import { ConflictException } from '@nestjs/common';
import { type Database, type Sql } from '@inference/database';
import { parseExact, stringifyExact } from '@inference/money';

/** A request that must take effect once. */
export interface IdempotentRequest {
  /** The owner of the key. */
  accountId: string;
  operation: 'payment' | 'refund' | 'invoice';
  /** The header `Idempotency-Key`; null: every request takes effect. */
  key: string | null;
  /** Everything that distinguishes the request from another one under the same key. The order of fields counts; a DTO has that of its class. */
  content: unknown;
}

/** Members added in later versions. Stored answers of earlier versions lack them. Nothing was refunded at the time of a first answer. */
const ADDED_MEMBERS: Record<IdempotentRequest['operation'], object> = {
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

interface Found {
  resourceId: string | null;
  answer: string | null;
  same: boolean;
}

const CLAIM = `
  INSERT INTO billing.idempotency_keys (account_id, operation, key, fingerprint, resource_id)
  VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`;
const FIND = `
  SELECT resource_id AS "resourceId", answer, fingerprint = $4 AS same
  FROM billing.idempotency_keys WHERE account_id = $1 AND operation = $2 AND key = $3`;
const STORE_ANSWER = `
  UPDATE billing.idempotency_keys SET answer = coalesce(answer, $4)
  WHERE account_id = $1 AND operation = $2 AND key = $3 RETURNING answer`;
const RELEASE = `
  DELETE FROM billing.idempotency_keys
  WHERE account_id = $1 AND operation = $2 AND key = $3 AND answer IS NULL`;

/**
 * Claims the key for the request, as part of the caller's transaction. Returns null if the request is new, otherwise the
 * earlier request with this key. Of two concurrent requests the second waits until the first one's transaction has ended.
 * Throws 409 if the key was used for a different request.
 */
export async function claimIdempotencyKey(
  sql: Sql,
  request: IdempotentRequest,
  resourceId: string | null,
): Promise<EarlierRequest | null> {
  if (request.key === null) return null;
  const { accountId, operation, key } = request;
  const fingerprint = createHash('sha256').update(stringifyExact(request.content)).digest();
  let earlier: Found | undefined;
  do {
    const claimed = await sql.query(CLAIM, [accountId, operation, key, fingerprint, resourceId]);
    if (claimed.rowCount === 1) return null;
    // Undefined if the key was released in between; then it is claimed again.
    earlier = (await sql.query<Found>(FIND, [accountId, operation, key, fingerprint])).rows[0];
  } while (!earlier);
  if (!earlier.same) throw new ConflictException('the idempotency key was used for a different request');
  return {
    resourceId: earlier.resourceId,
    answer: earlier.answer === null ? null : answerFrom(earlier.answer, request),
  };
}

/** Stores the answer unless there is one already, and returns the stored one. */
export async function storeFirstAnswer<T>(sql: Sql, request: IdempotentRequest, answer: T): Promise<T> {
  if (request.key === null) return answer;
  const { accountId, operation, key } = request;
  const { rows } = await sql.query<{ answer: string }>(STORE_ANSWER, [
    accountId,
    operation,
    key,
    stringifyExact(answer),
  ]);
  return rows[0] ? (answerFrom(rows[0].answer, request) as T) : answer;
}

/** Makes the key usable again after a request without effect. */
export async function releaseIdempotencyKey(
  sql: Sql,
  { accountId, operation, key }: IdempotentRequest,
): Promise<void> {
  await sql.query(RELEASE, [accountId, operation, key]);
}

/**
 * Runs work that needs only the database in one transaction with its stored answer. A repeated request gets the first
 * answer. Throws 409 if the key was used for a different request.
 */
export function runIdempotently<T>(
  database: Database,
  request: IdempotentRequest,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  return database.transaction(async (client) => {
    const earlier = await claimIdempotencyKey(client, request, null);
    if (earlier) return earlier.answer as T;
    return storeFirstAnswer(client, request, await work(client));
  });
}
