import { type Executor } from '@inference/database';

/** What an idempotency key is unique in, and what was sent with it. */
export interface IdempotentRequest {
  accountId: string;
  /** Empty for a service without a key. */
  apiKeyId: string;
  endpoint: string;
  idempotencyHash: string;
  bodyHash: string;
}

export type Claim =
  | { outcome: 'claimed' | 'other_body' | 'running' }
  | { outcome: 'charged'; claimedBy: string; costPicos: bigint };

const CLAIM = `
  SELECT outcome, claimed_by AS "claimedBy", cost_picos AS "costPicos" FROM metering.claim_call($1, $2, $3, $4, $5, $6, $7)`;
const HOLD = `
  UPDATE metering.idempotent_calls SET held_until = clock_timestamp() + make_interval(secs => $2) WHERE request_id = ANY ($1)`;
const RELEASE = 'DELETE FROM metering.idempotent_calls WHERE account_id = $1 AND request_id = $2';

export async function claimCall(
  executor: Executor,
  request: IdempotentRequest,
  requestId: string,
  seconds: number,
): Promise<Claim> {
  const { accountId, apiKeyId, endpoint, idempotencyHash, bodyHash } = request;
  const values = [accountId, apiKeyId, endpoint, idempotencyHash, bodyHash, requestId, seconds];
  const { rows } = await executor.query<Claim>(CLAIM, values);
  return rows[0]!;
}

/** Keeps the claims of the calls that this process works on. */
export async function holdCalls(executor: Executor, requestIds: string[], seconds: number): Promise<void> {
  await executor.query(HOLD, [requestIds, seconds]);
}

/** Forgets the key of a call that was not charged. */
export async function releaseCall(executor: Executor, accountId: string, requestId: string): Promise<void> {
  await executor.query(RELEASE, [accountId, requestId]);
}
