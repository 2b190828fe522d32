import { Injectable } from '@nestjs/common';
import { type Sql } from '@inference/database';
import { SealedTokens } from '../sealed-tokens/sealed-tokens';
import { useRecoveryCode } from './recovery-codes';
import { stepOf, TOTP_CODE } from './totp';

const PURPOSE = 'totp';

/** The authenticator is locked before a recovery code, in the same order as when two factors are turned off. */
const READ = `
  SELECT sealed_secret FROM accounts.totp
  WHERE account_id = $1 AND enabled_at IS NOT NULL FOR NO KEY UPDATE`;
/**
 * Succeeds only if the code's time step is later than the last accepted one. Of concurrent uses of one code only the first
 * succeeds.
 */
const TAKE_STEP = `
  UPDATE accounts.totp SET last_step = $2
  WHERE account_id = $1 AND enabled_at IS NOT NULL AND last_step < $2`;
const READ_ALL = `
  SELECT account_id AS "accountId", sealed_secret AS sealed FROM accounts.totp ORDER BY account_id FOR UPDATE`;
const REPLACE = 'UPDATE accounts.totp SET sealed_secret = $2 WHERE account_id = $1';

/** Checks the code of an account's authenticator, or one of its recovery codes. Each code works once. */
@Injectable()
export class SecondFactorVerifier {
  constructor(private readonly sealed: SealedTokens) {}

  /** Returns which of the two the code is, null for neither, and uses it up. Part of the caller's transaction. */
  async verify(sql: Sql, accountId: string, code: string): Promise<'totp' | 'recovery_code' | null> {
    const { rows } = await sql.query<{ sealed_secret: string }>(READ, [accountId]);
    if (!rows[0]) return null;
    if (!TOTP_CODE.test(code)) return (await useRecoveryCode(sql, accountId, code)) ? 'recovery_code' : null;
    const step = stepOf(await this.unseal(accountId, rows[0].sealed_secret), code);
    if (step === null) return null;
    const taken = await sql.query(TAKE_STEP, [accountId, step]);
    return taken.rowCount === 1 ? 'totp' : null;
  }

  /** Encrypts an authenticator's secret so that it may be stored. */
  seal(accountId: string, secret: string): Promise<string> {
    return this.sealed.seal(PURPOSE, accountId, { secret });
  }

  unseal(accountId: string, sealedSecret: string): Promise<string> {
    return unseal(this.sealed, accountId, sealedSecret);
  }
}

async function unseal(tokens: SealedTokens, accountId: string, sealedSecret: string): Promise<string> {
  const claims = await tokens.open(PURPOSE, accountId, sealedSecret);
  if (!claims)
    throw new Error(`The authenticator secret of ${accountId} opens with none of ENCRYPTION_KEYS.`);
  return String(claims.secret);
}

/**
 * Encrypts the secrets of all authenticators again with the first key and returns their number. Part of the caller's
 * transaction.
 */
export async function resealSecrets(sql: Sql, tokens: SealedTokens): Promise<number> {
  const { rows } = await sql.query<{ accountId: string; sealed: string }>(READ_ALL);
  for (const { accountId, sealed } of rows) {
    const secret = await unseal(tokens, accountId, sealed);
    await sql.query(REPLACE, [accountId, await tokens.seal(PURPOSE, accountId, { secret })]);
  }
  return rows.length;
}
