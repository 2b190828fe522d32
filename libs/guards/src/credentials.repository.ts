import { type Executor, PicosColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, In, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { type Role } from './caller';
import { createSecretKey, isSecretKey } from './secret-keys/secret-key';

/** What every service may read of an account. */
@Entity('accounts', { schema: 'accounts', synchronize: false })
export class AccountRole {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  role!: Role;
}

/** The account with its key of this id, if it has one that is not deleted. Null for an unknown account. */
export function findAccountWithKey(
  executor: Executor,
  accountId: string,
  apiKeyId: string | undefined,
): Promise<(AccountRole & { apiKey: ApiKey | null }) | null> {
  return executor
    .repository<AccountRole & { apiKey: ApiKey | null }>(AccountRole)
    .createQueryBuilder('account')
    .leftJoinAndMapOne(
      'account.apiKey',
      ApiKey,
      'key',
      'key.accountId = account.id AND key.id = :apiKeyId AND key.deletedAt IS NULL',
      { apiKeyId: apiKeyId ?? null },
    )
    .where('account.id = :accountId', { accountId })
    .getOne();
}

/** A secret by which an account calls the APIs. */
@Entity('api_keys', { schema: 'accounts' })
@Index('api_keys_account', ['accountId', 'createdAt'], { where: 'deleted_at IS NULL' })
@Index('api_keys_hash', ['keyHash'], { unique: true })
@Check('api_keys_check', '(key_hash IS NULL) = (deleted_at IS NOT NULL)')
@Check('api_keys_spend_limit_picos_check', 'spend_limit_picos >= 0')
export class ApiKey {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @ManyToOne(() => AccountRole, { nullable: false })
  @JoinColumn()
  account!: AccountRole;

  @Column('text')
  name!: string;

  @Column('text')
  prefix!: string;

  /** Keyed digest of the secret; null once the key is deleted. */
  @Column('bytea', { nullable: true })
  keyHash!: Buffer | null;

  /** Null: no limit. */
  @PicosColumn({ nullable: true })
  spendLimitPicos!: bigint | null;

  /** Slugs; null: all models. */
  @Column('text', { nullable: true, array: true })
  allowedModels!: string[] | null;

  @TimeColumn({ default: () => 'now()' })
  createdAt!: Date;

  @TimeColumn({ nullable: true })
  lastUsedAt!: Date | null;

  @TimeColumn({ nullable: true })
  deletedAt!: Date | null;
}

const TOUCH = `
  UPDATE accounts.api_keys SET last_used_at = now()
  WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '10 seconds')`;
const REHASH = `
  UPDATE accounts.api_keys SET key_hash = $2, last_used_at = now() WHERE id = $1 AND deleted_at IS NULL`;

/**
 * The key with its account, by the hashes under which it may be stored. Null for an unknown and for a deleted key. A statement for
 * each hash would miss a key whose hash another process replaces between them.
 */
export async function findApiKey(executor: Executor, hashes: Buffer[]): Promise<ApiKey | null> {
  const [key] = await executor
    .repository(ApiKey)
    .find({ where: { keyHash: In(hashes) }, relations: { account: true } });
  return key ?? null;
}

/** Stores a used key under another hash, unless it was deleted meanwhile. */
export async function rehashApiKey(executor: Executor, id: string, keyHash: Buffer): Promise<void> {
  await executor.query(REHASH, [id, keyHash]);
}

/** Stores the time of a use, to within ten seconds. */
export async function touchApiKey(executor: Executor, id: string): Promise<void> {
  await executor.query(TOUCH, [id]);
}

const PREFIX = 'bfvk-';

/** Creates an API key, `bfvk-…`, with the prefix of it that may be shown later. */
export const createApiKey = () => createSecretKey(PREFIX);
/** Whether a text has the form and the checksum of an API key. */
export const isApiKey = (text: string) => isSecretKey(PREFIX, text);

/** A sign-in of an account, which its session tokens name. */
@Entity('sessions', { schema: 'accounts' })
@Index('sessions_account', ['accountId'])
@Index('sessions_expiry', ['expiresAt'])
export class Session {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @ManyToOne(() => AccountRole, { nullable: false })
  @JoinColumn()
  account!: AccountRole;

  @TimeColumn({ default: () => 'now()' })
  createdAt!: Date;

  @TimeColumn()
  expiresAt!: Date;

  @TimeColumn({ nullable: true })
  endedAt!: Date | null;
}

/** SQL text, because the console runs it for every request. */
const FIND_ROLE = `
  SELECT a.role FROM accounts.sessions s JOIN accounts.accounts a ON a.id = s.account_id
  WHERE s.id = $1 AND s.account_id = $2 AND s.ended_at IS NULL AND s.expires_at > now()`;

/** The role of the session's account. Null if the session is unknown, has ended or is another account's. */
export async function findSessionRole(
  executor: Executor,
  id: string,
  accountId: string,
): Promise<AccountRole['role'] | null> {
  const { rows } = await executor.query<Pick<AccountRole, 'role'>>({
    name: 'find_session_role',
    text: FIND_ROLE,
    values: [id, accountId],
  });
  return rows[0]?.role ?? null;
}

/** The tables that CredentialsModule reads. */
export const CREDENTIAL_ENTITIES = [AccountRole, ApiKey, Session];
