import { type Executor } from '@inference/database';
import { createSecretKey, isSecretKey } from './secret-key';
import { AccountRole, ApiKey, FormerKeySecret, type KeyKind, type Session } from './credentials.entity';

/** The account with its key of this id, if it has one that is not deleted. Null for an unknown account. */
export async function findAccountWithKey(
  executor: Executor,
  accountId: string,
  apiKeyId: string | undefined,
): Promise<((AccountRole & { apiKey: ApiKey | null }) & Pick<KeyState, 'endsInMillis'>) | null> {
  const { entities, raw } = await executor
    .repository<AccountRole & { apiKey: ApiKey | null }>(AccountRole)
    .createQueryBuilder('account')
    .leftJoinAndMapOne(
      'account.apiKey',
      ApiKey,
      'key',
      "key.accountId = account.id AND key.id = :apiKeyId AND key.deletedAt IS NULL AND key.kind = 'api'",
      { apiKeyId: apiKeyId ?? null },
    )
    .addSelect(ENDS_IN.replace('%s', 'key.expires_at'), 'ends_in_millis')
    .where('account.id = :accountId', { accountId })
    .getRawAndEntities<{ ends_in_millis: number | null }>();
  const [account] = entities;
  return account ? Object.assign(account, { endsInMillis: raw[0]!.ends_in_millis }) : null;
}

/** Who finds the key locked leaves it: another process has just used it. */
const TOUCH = `
  UPDATE accounts.api_keys SET last_used_at = now()
  WHERE id = (
    SELECT id FROM accounts.api_keys
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '10 seconds')
    FOR NO KEY UPDATE SKIP LOCKED
  )`;
const REHASH = `
  UPDATE accounts.api_keys SET key_hash = $3, last_used_at = now() WHERE id = $1 AND key_hash = $2`;

/** A key that was found by its secret. */
export interface FoundApiKey extends KeyState {
  key: ApiKey;
  /** Whether the secret is one that a rotation has replaced. */
  isFormer: boolean;
}

/** Both by the clock of the database. */
export interface KeyState {
  /** Until its secret stops working; negative if it has; null: never. */
  endsInMillis: number | null;
  isDisabled: boolean;
}

const ENDS_IN = 'extract(epoch FROM %s - clock_timestamp())::float8 * 1000';

/**
 * The key with its account, by the hashes under which it may be stored. Null for an unknown and for a deleted key, and for a former secret
 * that has ended. A statement for each hash would miss a key whose hash another process replaces between them; a rotation moves the
 * hash from the key to the former secrets, which are read after it.
 */
export async function findApiKey(executor: Executor, hashes: Buffer[]): Promise<FoundApiKey | null> {
  const { entities, raw } = await executor
    .repository(ApiKey)
    .createQueryBuilder('key')
    .innerJoinAndSelect('key.account', 'account')
    .addSelect(ENDS_IN.replace('%s', 'key.expires_at'), 'ends_in_millis')
    .where('key.keyHash IN (:...hashes)', { hashes })
    .getRawAndEntities<{ ends_in_millis: number | null }>();
  const [key] = entities;
  if (!key) return findByFormerSecret(executor, hashes);
  const endsInMillis = raw[0]!.ends_in_millis;
  return { key, isFormer: false, endsInMillis, isDisabled: key.disabledAt !== null };
}

async function findByFormerSecret(executor: Executor, hashes: Buffer[]): Promise<FoundApiKey | null> {
  const { entities, raw } = await executor
    .repository(ApiKey)
    .createQueryBuilder('key')
    .innerJoinAndSelect('key.account', 'account')
    .innerJoin(FormerKeySecret, 'former', 'former.apiKeyId = key.id')
    .addSelect(ENDS_IN.replace('%s', 'least(former.ends_at, key.expires_at)'), 'ends_in_millis')
    .where('former.keyHash IN (:...hashes) AND former.endsAt > clock_timestamp()', { hashes })
    .andWhere('key.deletedAt IS NULL')
    .getRawAndEntities<{ ends_in_millis: number }>();
  const [key] = entities;
  if (!key) return null;
  const endsInMillis = raw[0]!.ends_in_millis;
  return { key, isFormer: true, endsInMillis, isDisabled: key.disabledAt !== null };
}

/** Stores a used key under another hash, unless it was deleted or its secret replaced meanwhile. */
export async function rehashApiKey(
  executor: Executor,
  id: string,
  { from, to }: { from: Buffer; to: Buffer },
): Promise<void> {
  await executor.query(REHASH, [id, from, to]);
}

/** Stores the time of a use, to within ten seconds. */
export async function touchApiKey(executor: Executor, id: string): Promise<void> {
  await executor.query(TOUCH, [id]);
}

const STARTS: Record<KeyKind, string> = { api: 'bfvk-', management: 'bfvm-' };

/** Creates an API key, `bfvk-…`, or a management key, `bfvm-…`, with the prefix of it that may be shown later. */
export const createApiKey = (kind: KeyKind = 'api') => createSecretKey(STARTS[kind]);
/** Whether a text has the form and the checksum of an API key, or of a management key. */
export const isApiKey = (text: string, kind: KeyKind = 'api') => isSecretKey(STARTS[kind], text);

/** SQL text, because the console runs it for every request. */
const FIND_SESSION = `
  SELECT a.role, a.suspended_at AS "suspendedAt", s.second_factor AS "secondFactor" FROM accounts.sessions s JOIN accounts.accounts a ON a.id = s.account_id
  WHERE s.id = $1 AND s.account_id = $2 AND s.ended_at IS NULL AND s.expires_at > now()`;

type FoundSession = Pick<AccountRole, 'role' | 'suspendedAt'> & Pick<Session, 'secondFactor'>;

/** The role of the session's account, and what proved its second factor. Null if the session is unknown, has ended or is another account's. */
export async function findSession(
  executor: Executor,
  id: string,
  accountId: string,
): Promise<FoundSession | null> {
  const { rows } = await executor.query<FoundSession>({
    name: 'find_session',
    text: FIND_SESSION,
    values: [id, accountId],
  });
  return rows[0] ?? null;
}

const FIND_VIEWED = `
  SELECT v.account_id AS "accountId" FROM accounts.account_views v JOIN accounts.accounts a ON a.id = v.account_id
  WHERE v.id = $1 AND v.staff_id = $2 AND v.session_id = $3 AND v.ended_at IS NULL AND v.expires_at > now() AND a.role = 'user'`;

/** The customer of an open view that a session of staff has begun. Null if there is none, or the account is one of staff meanwhile. */
export async function findViewedAccount(
  executor: Executor,
  { id, staffId, sessionId }: { id: string; staffId: string; sessionId: string },
): Promise<string | null> {
  const { rows } = await executor.query<{ accountId: string }>(FIND_VIEWED, [id, staffId, sessionId]);
  return rows[0]?.accountId ?? null;
}

/** Longer than any process is without notifications: it serves nobody after five seconds. */
const SUSPENDED_LATELY = `
  SELECT 'account:' || id AS subject FROM accounts.accounts WHERE suspended_at > now() - interval '1 day'
  UNION ALL SELECT 'api_key:' || id FROM accounts.api_keys WHERE suspended_at > now() - interval '1 day'`;

/** The accounts and keys that were suspended within a day and still are, as the notifications name them. */
export async function listSuspendedLately(executor: Executor): Promise<string[]> {
  const { rows } = await executor.query<{ subject: string }>(SUSPENDED_LATELY);
  return rows.map(({ subject }) => subject);
}
