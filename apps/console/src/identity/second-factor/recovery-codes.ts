import { createHash, randomInt } from 'node:crypto';
import { type Sql } from '@inference/database';

const CODES = 10;
/** Four groups of four out of 31 characters that do not look alike: 79 bits. */
const GROUPS = 4;
const GROUP_LENGTH = 4;
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';

const REPLACE = `
  INSERT INTO accounts.recovery_codes (account_id, code_hash)
  SELECT $1, hash FROM unnest($2::bytea[]) AS hash`;
const USE = `
  UPDATE accounts.recovery_codes SET used_at = now()
  WHERE account_id = $1 AND code_hash = $2 AND used_at IS NULL`;

/** Ignores case, hyphens and spaces, as people type codes in different ways. */
const hashCode = (code: string) =>
  createHash('sha256')
    .update(code.toLowerCase().replace(/[^0-9a-z]/g, ''))
    .digest();

function newCode(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

/** Replaces all codes of an account and returns the new ones. Only their hashes are stored. */
export async function replaceRecoveryCodes(sql: Sql, accountId: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode);
  await sql.query('DELETE FROM accounts.recovery_codes WHERE account_id = $1', [accountId]);
  await sql.query(REPLACE, [accountId, codes.map(hashCode)]);
  return codes;
}

/** Uses a code up; returns true once for each code. */
export async function useRecoveryCode(sql: Sql, accountId: string, code: string): Promise<boolean> {
  const { rowCount } = await sql.query(USE, [accountId, hashCode(code)]);
  return rowCount === 1;
}
