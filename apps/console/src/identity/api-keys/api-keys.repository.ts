import { type Executor, type Transaction } from '@inference/database';
import { ApiKey, KEY_KINDS, type KeyKind } from '@inference/guards';
import { usageLines } from '@inference/metering';
import { type FindOptionsWhere, In, IsNull, Raw } from 'typeorm';

/** What the owner may say of a key. */
export type ApiKeySettings = Pick<
  ApiKey,
  | 'name'
  | 'description'
  | 'tags'
  | 'disabledAt'
  | 'expiresAt'
  | 'expiryNoticeDays'
  | 'allowedIps'
  | 'spendLimitPicos'
  | 'spendPeriod'
  | 'allowedModels'
  | 'reportsCost'
  | 'requestsPerMinute'
  | 'tokensPerMinute'
  | 'maxConcurrency'
>;

export type NewApiKey = Pick<ApiKey, 'id' | 'accountId' | 'kind' | 'createdBy' | 'prefix' | 'keyHash'> &
  ApiKeySettings;

export async function insertApiKey(transaction: Transaction, key: NewApiKey): Promise<ApiKey> {
  const keys = transaction.repository(ApiKey);
  const stored = keys.create(key);
  await keys.insert(stored);
  return stored;
}

export type ListedApiKey = Pick<
  ApiKey,
  | 'id'
  | 'kind'
  | 'prefix'
  | 'createdAt'
  | 'createdBy'
  | 'rotatedAt'
  | 'rotatedBy'
  | 'lastUsedAt'
  | 'suspendedAt'
  | 'suspensionMessage'
> &
  Omit<ApiKeySettings, 'expiryNoticeDays'>;

const LIST = `
  SELECT id, kind, name, prefix, created_at AS "createdAt", created_by AS "createdBy",
    rotated_at AS "rotatedAt", rotated_by AS "rotatedBy", last_used_at AS "lastUsedAt",
    description, tags, disabled_at AS "disabledAt", expires_at AS "expiresAt", allowed_ips AS "allowedIps",
    spend_limit_picos AS "spendLimitPicos", spend_period AS "spendPeriod", allowed_models AS "allowedModels",
    reports_cost AS "reportsCost", requests_per_minute AS "requestsPerMinute", tokens_per_minute AS "tokensPerMinute",
    max_concurrency AS "maxConcurrency", suspended_at AS "suspendedAt", suspension_message AS "suspensionMessage"
  FROM accounts.api_keys WHERE account_id = $1 AND deleted_at IS NULL AND kind = ANY($2) ORDER BY created_at DESC, id DESC`;

/** Newest first. */
export async function listApiKeys(
  executor: Executor,
  accountId: string,
  kinds: readonly KeyKind[] = KEY_KINDS,
): Promise<ListedApiKey[]> {
  const list = { name: 'list_api_keys', text: LIST, values: [accountId, kinds] };
  return (await executor.query<ListedApiKey>(list)).rows;
}

/** The names of keys of an account by their ids, also of deleted ones. */
export async function readKeyNames(
  executor: Executor,
  accountId: string,
  ids: string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const select = { id: true, name: true } as const;
  const keys = await executor.repository(ApiKey).find({ select, where: { accountId, id: In(ids) } });
  return new Map(keys.map(({ id, name }) => [id, name]));
}

/** Null if the account has no such management key. */
export function findManagementKey(
  executor: Executor,
  key: { accountId: string; id: string },
): Promise<ApiKey | null> {
  return executor.repository(ApiKey).findOneBy({ ...key, kind: 'management', deletedAt: IsNull() });
}

/** The key of an account, locked until the transaction ends. Null if there is none. */
export function lockApiKey(
  transaction: Transaction,
  key: { accountId: string; id: string },
): Promise<ApiKey | null> {
  return transaction
    .repository(ApiKey)
    .findOne({ where: { ...key, deletedAt: IsNull() }, lock: { mode: 'pessimistic_write' } });
}

/** A trigger notifies every service if anything changes that they obey. */
export async function updateApiKey(
  transaction: Transaction,
  id: string,
  change: Partial<ApiKeySettings & Pick<ApiKey, 'keyHash' | 'prefix' | 'rotatedAt' | 'rotatedBy'>>,
): Promise<void> {
  await transaction.repository(ApiKey).update({ id }, change);
}

/** Keeps the hash of a secret, which works for some seconds more, when the key gets another one. */
const KEEP_SECRET = `
  INSERT INTO accounts.former_key_secrets (key_hash, api_key_id, ends_at)
  SELECT key_hash, id, clock_timestamp() + make_interval(secs => $2) FROM accounts.api_keys WHERE id = $1`;

export async function keepFormerSecret(transaction: Transaction, id: string, seconds: number): Promise<void> {
  await transaction.query(KEEP_SECRET, [id, seconds]);
}

const END_SECRETS = `
  UPDATE accounts.former_key_secrets SET ends_at = clock_timestamp()
  WHERE api_key_id = $1 AND ends_at > clock_timestamp() AND ($2::bytea[] IS NULL OR key_hash = ANY($2))`;

/** Ends the former secrets of a key, or the one that has one of these hashes. Returns false if there is none that works. */
export async function endFormerSecrets(
  transaction: Transaction,
  apiKeyId: string,
  hashes: Buffer[] | null = null,
): Promise<boolean> {
  return ((await transaction.query(END_SECRETS, [apiKeyId, hashes])).rowCount ?? 0) > 0;
}

const FORMER_ENDS = `
  SELECT k.id, max(f.ends_at) AS "endsAt"
  FROM accounts.api_keys k JOIN accounts.former_key_secrets f ON f.api_key_id = k.id
  WHERE k.account_id = $1 AND f.ends_at > clock_timestamp() GROUP BY k.id`;

/** When the last former secret of each key of an account ends. A key without one is absent. */
export async function readFormerSecretEnds(
  executor: Executor,
  accountId: string,
): Promise<Map<string, Date>> {
  const { rows } = await executor.query<{ id: string; endsAt: Date }>(FORMER_ENDS, [accountId]);
  return new Map(rows.map(({ id, endsAt }) => [id, endsAt]));
}

/** Until then a secret that is found in public is known. */
const DELETE_ENDED_SECRETS =
  "DELETE FROM accounts.former_key_secrets WHERE ends_at < clock_timestamp() - interval '1 year'";

export async function deleteEndedSecrets(executor: Executor): Promise<void> {
  await executor.query(DELETE_ENDED_SECRETS);
}

/** A key that is about to expire. */
export type ExpiringKey = Pick<ApiKey, 'accountId' | 'name' | 'prefix'> & { expiresAt: Date };

/** Each replica takes others. */
const CLAIM_EXPIRING = `
  UPDATE accounts.api_keys SET expiry_notice_days = CASE WHEN expires_at <= now() + interval '1 day' THEN 1 ELSE 7 END
  WHERE id IN (
    SELECT id FROM accounts.api_keys
    WHERE deleted_at IS NULL AND disabled_at IS NULL AND expires_at > now() AND (
      (expires_at <= now() + interval '7 days' AND expiry_notice_days IS NULL)
      OR (expires_at <= now() + interval '1 day' AND expiry_notice_days > 1)
    ) LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
  )
  RETURNING account_id AS "accountId", name, prefix, expires_at AS "expiresAt"`;

/** The keys whose owners are to be told now that they expire within seven days, or one. None is returned twice for the same. */
export async function claimExpiringKeys(transaction: Transaction, most: number): Promise<ExpiringKey[]> {
  return (await transaction.query<ExpiringKey>(CLAIM_EXPIRING, [most])).rows;
}

const SPENT_SINCE = `
  WITH ${usageLines('usage', 'month')}
  SELECT api_key_id AS id, sum(cost_picos) AS picos FROM usage_lines WHERE api_key_id <> '' GROUP BY api_key_id`;

/** What the account's keys have spent since a time, in picos, by id. A key without usage is absent. */
export async function readSpentSince(
  executor: Executor,
  accountId: string,
  since: Date,
): Promise<Map<string, bigint>> {
  const values = [since.toISOString(), null, accountId];
  const { rows } = await executor.query<{ id: string; picos: bigint }>(SPENT_SINCE, values);
  return new Map(rows.map(({ id, picos }) => [id, picos]));
}

export function countApiKeys(transaction: Transaction, accountId: string): Promise<number> {
  return transaction.repository(ApiKey).countBy({ accountId, deletedAt: IsNull() });
}

/** Deletes a key of an account. Returns false if there is none. */
export async function deleteApiKey(
  transaction: Transaction,
  key: { accountId: string; id: string },
): Promise<boolean> {
  return (await deleteApiKeys(transaction, key)).length > 0;
}

/**
 * Deletes the keys that an account made before a time, or all of them, with those whose secrets come from a management key among them,
 * and returns their ids.
 *
 * @param before with all digits, which a Date does not hold; null for all
 */
export async function deleteApiKeysMadeBefore(
  transaction: Transaction,
  accountId: string,
  before: string | null,
): Promise<string[]> {
  const made = before === null ? {} : { createdAt: Raw((column) => `${column} < :before`, { before }) };
  const ids = await deleteApiKeys(transaction, { accountId, ...made });
  const created = await deleteApiKeys(transaction, { accountId, createdBy: In(ids) });
  const rotated = await deleteApiKeys(transaction, { accountId, rotatedBy: In(ids) });
  return [...ids, ...created, ...rotated];
}

/** The rows stay, because usage refers to them. A trigger notifies every service. */
async function deleteApiKeys(
  transaction: Transaction,
  keys: FindOptionsWhere<ApiKey> & { accountId: string },
): Promise<string[]> {
  const { raw } = await transaction
    .repository(ApiKey)
    .createQueryBuilder()
    .update({ deletedAt: () => 'now()', keyHash: null })
    .where({ ...keys, deletedAt: IsNull() })
    .returning(['id'])
    .execute();
  return (raw as { id: string }[]).map(({ id }) => id);
}
