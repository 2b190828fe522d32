import { createHash } from 'node:crypto';
import { type Executor, newId, randomBase62, type Transaction } from '@inference/database';
import { lockAccount } from '../../accounts/credentials.repository';
import { MAIL_KINDS, type TokenMailKind } from './mail-kinds';
import {
  findMailTokenAccount,
  insertMailToken,
  revokeMailTokens,
  useMailToken,
} from './mail-tokens.repository';

/** 43 base62 digits hold 256 bits, which cannot be guessed. */
const TOKEN_DIGITS = 43;
const DIGITS = /^[0-9A-Za-z]{43}$/;

export interface NewMailToken {
  accountId: string;
  purpose: TokenMailKind;
  /** The address to which it is sent. */
  email: string;
  /** The mail that carries it; a new id by default. */
  mailId?: string;
}

const hashMailToken = (token: string) => createHash('sha256').update(token).digest();

/** Null for a text that is no token for the purpose. */
function keyOf(purpose: TokenMailKind, token: string): { tokenHash: Buffer; purpose: TokenMailKind } | null {
  const { prefix } = MAIL_KINDS[purpose].token;
  if (!token.startsWith(prefix) || !DIGITS.test(token.slice(prefix.length))) return null;
  return { tokenHash: hashMailToken(token), purpose };
}

/** Creates a token and returns its text. Only its hash is stored. */
export async function createMailToken(executor: Executor, newToken: NewMailToken): Promise<string> {
  const { accountId, purpose, email, mailId = newId('mail') } = newToken;
  const { prefix, validSeconds } = MAIL_KINDS[purpose].token;
  const token = prefix + randomBase62(TOKEN_DIGITS);
  const tokenHash = hashMailToken(token);
  await insertMailToken(executor, { tokenHash, accountId, purpose, email, mailId }, validSeconds);
  return token;
}

/** The account of a token, which stays valid. Returns null if the token is malformed, unknown, used or expired. */
export async function accountOfMailToken(
  executor: Executor,
  purpose: TokenMailKind,
  token: string,
): Promise<string | null> {
  const key = keyOf(purpose, token);
  return key && findMailTokenAccount(executor, key);
}

/**
 * Consumes a token and revokes the account's other tokens for the same purpose. Returns null if the token is malformed,
 * unknown, used or expired. Of concurrent calls with one token exactly one succeeds. Locks the account until the
 * transaction ends.
 */
export async function consumeMailToken(
  transaction: Transaction,
  purpose: TokenMailKind,
  token: string,
): Promise<{ accountId: string; email: string } | null> {
  const key = keyOf(purpose, token);
  if (!key) return null;
  const accountId = await findMailTokenAccount(transaction, key);
  if (accountId === null) return null;
  // Serialises with changes of the account's credentials, which revoke its tokens.
  await lockAccount(transaction, accountId);
  const used = await useMailToken(transaction, key);
  if (!used) return null;
  await revokeMailTokens(transaction, accountId, purpose);
  return used;
}
