import { createHash } from 'node:crypto';
import { ConflictException } from '@nestjs/common';
import { inTransaction, type Sql, type SqlPool } from '@inference/database';
import { parseExact, stringifyExact } from '@inference/money';

/** A request that is to take effect once. */
export interface IdempotentRequest {
  /** Whose key it is. */
  accountId: string;
  operation: 'payment' | 'refund' | 'invoice';
  /** The header `Idempotency-Key`; null: every request is one of its own. */
  key: string | null;
  /** What is asked for, everything that tells it from another request. */
  content: unknown;
}

/** An earlier request with the same key. */
export interface EarlierRequest {
  /** What it was to make. */
  resourceId: string | null;
  /** Null when it has not been answered. */
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
const KEEP = `
  UPDATE billing.idempotency_keys SET answer = coalesce(answer, $4)
  WHERE account_id = $1 AND operation = $2 AND key = $3 RETURNING answer`;
const FORGET = `
  DELETE FROM billing.idempotency_keys
  WHERE account_id = $1 AND operation = $2 AND key = $3 AND answer IS NULL`;

/** Two that come at once: the second waits here until the first one's transaction has ended. */
export async function claimKey(
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
    // Not there any more when it was forgotten in between.
    earlier = (await sql.query<Found>(FIND, [accountId, operation, key, fingerprint])).rows[0];
  } while (!earlier);
  if (!earlier.same) throw new ConflictException('the idempotency key was used for a different request');
  return {
    resourceId: earlier.resourceId,
    answer: earlier.answer === null ? null : parseExact(earlier.answer),
  };
}

/** Keeps the first answer; returns that one. */
export async function keepAnswer<T>(sql: Sql, request: IdempotentRequest, answer: T): Promise<T> {
  if (request.key === null) return answer;
  const { accountId, operation, key } = request;
  const { rows } = await sql.query<{ answer: string }>(KEEP, [
    accountId,
    operation,
    key,
    stringifyExact(answer),
  ]);
  return rows[0] ? (parseExact(rows[0].answer) as T) : answer;
}

/** Gives a key back whose request has come to nothing. */
export async function forgetKey(sql: Sql, { accountId, operation, key }: IdempotentRequest): Promise<void> {
  await sql.query(FORGET, [accountId, operation, key]);
}

/**
 * Does the work, which needs nobody but the database, in one transaction with the record of its answer. The same
 * request again gets the first answer; another one under its key is a ConflictException.
 */
export function once<T>(
  pool: SqlPool,
  request: IdempotentRequest,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (client) => {
    const earlier = await claimKey(client, request, null);
    if (earlier) return earlier.answer as T;
    return keepAnswer(client, request, await work(client));
  });
}
