import { domainToUnicode } from 'node:url';
import { type Currency } from '@inference/config';
import { type Executor, newId, type Position, readNewestFirst, type Transaction } from '@inference/database';
import { type Role } from '@inference/guards';
import { openWallet } from '@inference/wallet';
import { type FindOptionsWhere, In, Like } from 'typeorm';
import { Account, TermsAcceptance } from './account.entity';
import { withoutPunctuation } from './identifier';
import { type Language } from './languages';

/** LIKE patterns of the columns that a search reads; undefined where the text cannot be a part of one. */
interface AccountSearch {
  /** Of the e-mail address and the username. */
  name: string;
  phone: string | undefined;
  id: string | undefined;
}

const PHONE_PART = /^\+?\d{3,}$/;
/** Fewer characters of an id would match random ids of many accounts: 62 ** 3 texts for 15 positions of each id. */
const ID_PART = /^(acct_)?([0-9A-Za-z]{4,})$/;

const escapeWildcards = (text: string) => text.replace(/[\\%_]/g, String.raw`\$&`);
const containing = (text: string) => `%${escapeWildcards(text)}%`;

/** Labels of a domain in ASCII, which addresses are stored without. */
const ASCII_LABEL = /\bxn--[a-z0-9-]+/g;

/** What finds the accounts of which a text is a part of the e-mail address, username, phone number or id. */
export function accountSearch(text: string): AccountSearch {
  const phone = withoutPunctuation(text);
  const [, prefix, idPart] = ID_PART.exec(text) ?? [];
  return {
    name: containing(
      text
        .toLowerCase()
        .normalize('NFC')
        .replace(ASCII_LABEL, (label) => domainToUnicode(label) || label),
    ),
    phone: PHONE_PART.test(phone) ? containing(phone) : undefined,
    id: idPart === undefined ? undefined : `${escapeWildcards('acct_')}${prefix ? '' : '%'}${idPart}%`,
  };
}

export interface NewAccount
  extends
    Pick<Account, 'email' | 'passwordHash' | 'role' | 'language'>,
    Partial<Pick<Account, 'emailVerified' | 'phone' | 'username'>> {}

/** An account without the hash of its password. */
export type AccountProfile = Omit<Account, 'passwordHash'>;

/** What a sign-in needs of an account, read by one statement. */
export type SignInAccount = Pick<
  Account,
  | 'id'
  | 'email'
  | 'emailVerifiedAt'
  | 'passwordHash'
  | 'credentialsVersion'
  | 'twoFactor'
  | 'suspendedAt'
  | 'suspensionMessage'
>;

const SIGN_IN_COLUMNS = {
  id: true,
  email: true,
  emailVerifiedAt: true,
  passwordHash: true,
  credentialsVersion: true,
  twoFactor: true,
  suspendedAt: true,
  suspensionMessage: true,
} satisfies Record<keyof SignInAccount, true>;

const SET_TIME_ZONE = `
  UPDATE accounts.accounts SET time_zone = (SELECT name FROM pg_timezone_names WHERE lower(name) = lower($2) LIMIT 1)
  WHERE id = $1 AND EXISTS (SELECT FROM pg_timezone_names WHERE lower(name) = lower($2)) RETURNING id`;
const READ_TIME_ZONE = 'SELECT time_zone AS "timeZone" FROM accounts.accounts WHERE id = $1 FOR SHARE';
const SET_STORES_RESPONSES = `
  UPDATE accounts.accounts SET stores_responses = $2, stores_responses_set_at = clock_timestamp()
  WHERE id = $1 AND stores_responses <> $2`;
const SET_ROLE = `
  WITH old AS (SELECT id, role FROM accounts.accounts WHERE id = $1 FOR NO KEY UPDATE)
  UPDATE accounts.accounts a SET role = $2 FROM old WHERE a.id = old.id RETURNING old.role`;

/** @param identifier normalized: an e-mail address, a phone number or a username */
const identifiedBy = (identifier: string): FindOptionsWhere<Account>[] => [
  { email: identifier },
  { phone: identifier },
  { username: identifier },
];

/**
 * Inserts an account with its empty wallet and returns its id, or null when its e-mail address, phone number or
 * username is taken.
 */
export async function insertAccount(
  transaction: Transaction,
  { emailVerified, ...account }: NewAccount,
  currency: Currency,
): Promise<string | null> {
  const id = newId('acct');
  const { raw } = await transaction
    .repository(Account)
    .createQueryBuilder()
    .insert()
    .values({ ...account, id, emailVerifiedAt: emailVerified ? () => 'now()' : null })
    .orIgnore()
    .returning(['id'])
    .execute();
  if ((raw as unknown[]).length === 0) return null;
  await openWallet(transaction, id, currency);
  return id;
}

export function readAccount(executor: Executor, id: string): Promise<AccountProfile | null> {
  return executor.repository(Account).findOneBy({ id });
}

export async function setLanguage(executor: Executor, id: string, language: Language): Promise<void> {
  await executor.repository(Account).update({ id }, { language });
}

/** Returns false, and changes nothing, if PostgreSQL does not know the time zone. */
export async function setTimeZone(transaction: Transaction, id: string, timeZone: string): Promise<boolean> {
  const { rows } = await transaction.query<{ id: string }>(SET_TIME_ZONE, [id, timeZone]);
  return rows.length > 0;
}

/** Locks the account against another time zone until the transaction ends. */
export async function readTimeZone(transaction: Transaction, id: string): Promise<string> {
  const { rows } = await transaction.query<{ timeZone: string }>(READ_TIME_ZONE, [id]);
  return rows[0]!.timeZone;
}

/** Returns whether that is a change. What was stored before is not shown any more, and the gateways delete it. */
export async function setStoresResponses(
  executor: Executor,
  id: string,
  storesResponses: boolean,
): Promise<boolean> {
  const { rowCount } = await executor.query(SET_STORES_RESPONSES, [id, storesResponses]);
  return rowCount === 1;
}

/** The first acceptance of a version counts. */
export async function recordTermsAcceptance(
  executor: Executor,
  accountId: string,
  version: string,
): Promise<void> {
  await executor
    .repository(TermsAcceptance)
    .createQueryBuilder()
    .insert()
    .values({ accountId, version })
    .orIgnore()
    .execute();
}

/** What the account accepted last; null if it has accepted nothing. */
export function readTermsAcceptance(executor: Executor, accountId: string): Promise<TermsAcceptance | null> {
  return executor
    .repository(TermsAcceptance)
    .findOne({ where: { accountId }, order: { acceptedAt: 'DESC' } });
}

/** Which accounts a list holds. */
export interface AccountFilter {
  /** Normalized: selects the one account that has it. */
  identifier?: string | undefined;
  search?: AccountSearch | undefined;
  ids?: string[] | undefined;
}

/** The conditions are alternatives, each with a pattern that the index `accounts_search` finds. */
const matching = ({ name, phone, id }: AccountSearch): FindOptionsWhere<Account>[] => [
  { email: Like(name) },
  { username: Like(name) },
  ...(phone === undefined ? [] : [{ phone: Like(phone) }]),
  ...(id === undefined ? [] : [{ id: Like(id) }]),
];

/** Newest first. */
export function listAccounts(
  executor: Executor,
  { identifier, search, ids }: AccountFilter,
  after: Position | null,
  count: number,
): Promise<(AccountProfile & { position: Position })[]> {
  const query = executor.repository(Account).createQueryBuilder('account');
  if (identifier !== undefined) query.andWhere(identifiedBy(identifier));
  if (search) query.andWhere(matching(search));
  if (ids) query.andWhere({ id: In(ids) });
  return readNewestFirst(query, 'createdAt', after, count);
}

/** @param identifier normalized: an e-mail address, a phone number or a username */
export function findForLogin(executor: Executor, identifier: string): Promise<SignInAccount | null> {
  return executor.repository(Account).findOne({ select: SIGN_IN_COLUMNS, where: identifiedBy(identifier) });
}

export function readForSignIn(executor: Executor, id: string): Promise<SignInAccount | null> {
  return executor.repository(Account).findOne({ select: SIGN_IN_COLUMNS, where: { id } });
}

/**
 * Locks all admins and the account that is to get another role, and returns the ids of the admins. All are locked in the
 * order of their ids, so that two changes cannot deadlock.
 */
export async function lockAdmins(transaction: Transaction, accountId: string): Promise<string[]> {
  const accounts = await transaction.repository(Account).find({
    select: { id: true, role: true },
    where: [{ role: 'admin' }, { id: accountId }],
    order: { id: 'ASC' },
    lock: { mode: 'for_no_key_update' },
  });
  return accounts.filter(({ role }) => role === 'admin').map(({ id }) => id);
}

/** Gives an account a role and returns the former one, or null if there is no such account. */
export async function setRole(transaction: Transaction, accountId: string, role: Role): Promise<Role | null> {
  const { rows } = await transaction.query<Pick<Account, 'role'>>(SET_ROLE, [accountId, role]);
  return rows[0]?.role ?? null;
}
