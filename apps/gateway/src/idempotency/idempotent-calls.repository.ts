import { type Executor } from '@inference/database';

/** What an idempotency key is unique in, and what was sent with it. The hashes are hexadecimal. */
export interface IdempotentRequest {
  accountId: string;
  /** Empty for a service without a key. */
  apiKeyId: string;
  endpoint: string;
  idempotencyHash: string;
  bodyHash: string;
}

/** What has become of a claim. */
export interface Claim {
  outcome: 'claimed' | 'other_body' | 'running' | 'charged';
  /** The call that stands against it; null if that has just ended without a charge. */
  claimedBy: string | null;
  /** Where the process of that call is asked for the answer, if it can be asked. */
  owner: string | null;
  /** Of a charged call. */
  costPicos: bigint | null;
}

const CLAIM = `
  SELECT outcome, claimed_by AS "claimedBy", owned_by AS owner, cost_picos AS "costPicos"
  FROM metering.claim_call($1, $2, $3, $4, $5, $6, $7, $8)`;
const HOLD = `
  UPDATE metering.idempotent_calls SET held_until = clock_timestamp() + make_interval(secs => $2) WHERE request_id = ANY ($1)
  RETURNING request_id AS "requestId"`;
const RELEASE = 'DELETE FROM metering.idempotent_calls WHERE account_id = $1 AND request_id = $2';

export async function claimCall(
  executor: Executor,
  request: IdempotentRequest,
  requestId: string,
  seconds: number,
  owner: string | null,
): Promise<Claim> {
  const { accountId, apiKeyId, endpoint, idempotencyHash, bodyHash } = request;
  const values = [accountId, apiKeyId, endpoint, idempotencyHash, bodyHash, requestId, seconds, owner];
  const { rows } = await executor.query<Claim>(CLAIM, values);
  return rows[0]!;
}

/** Keeps the claims of the calls that this process works on. Returns those that it still has. */
export async function holdCalls(
  executor: Executor,
  requestIds: string[],
  seconds: number,
): Promise<string[]> {
  const { rows } = await executor.query<{ requestId: string }>(HOLD, [requestIds, seconds]);
  return rows.map(({ requestId }) => requestId);
}

/** Forgets the key of a call that was not charged. */
export async function releaseCall(executor: Executor, accountId: string, requestId: string): Promise<void> {
  await executor.query(RELEASE, [accountId, requestId]);
}
