import { createHash, randomInt } from 'node:crypto';
import { type Sql } from '@inference/database';

const CODES = 10;
/** Four groups of four out of 31 characters that are not mistaken for one another: 79 bits. */
const GROUPS = 4;
const GROUP_LENGTH = 4;
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';

const REPLACE = `
  INSERT INTO accounts.recovery_codes (account_id, code_hash)
  SELECT $1, hash FROM unnest($2::bytea[]) AS hash`;
const USE = `
  UPDATE accounts.recovery_codes SET used_at = now()
  WHERE account_id = $1 AND code_hash = $2 AND used_at IS NULL`;

/** As people type it: any case, with or without the hyphens. */
const hashCode = (code: string) =>
  createHash('sha256')
    .update(code.toLowerCase().replace(/[^0-9a-z]/g, ''))
    .digest();

function newCode(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

/** Puts new codes in the place of all that there were; only their hashes are kept. */
export async function replaceRecoveryCodes(sql: Sql, accountId: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode);
  await sql.query('DELETE FROM accounts.recovery_codes WHERE account_id = $1', [accountId]);
  await sql.query(REPLACE, [accountId, codes.map(hashCode)]);
  return codes;
}

/** True once for each code. */
export async function useRecoveryCode(sql: Sql, accountId: string, code: string): Promise<boolean> {
  const { rowCount } = await sql.query(USE, [accountId, hashCode(code)]);
  return rowCount === 1;
}
