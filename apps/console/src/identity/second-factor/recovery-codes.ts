import { createHash, randomInt } from 'node:crypto';
import { type Transaction } from '@inference/database';
import { replaceRecoveryCodeHashes, useRecoveryCodeHash } from './second-factor.repository';

const CODES = 10;
/** Four groups of four out of 31 characters that do not look alike: 79 bits. */
const GROUPS = 4;
const GROUP_LENGTH = 4;
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';

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
export async function replaceRecoveryCodes(transaction: Transaction, accountId: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode);
  await replaceRecoveryCodeHashes(transaction, accountId, codes.map(hashCode));
  return codes;
}

/** Uses a code up; returns true once for each code. */
export function useRecoveryCode(transaction: Transaction, accountId: string, code: string): Promise<boolean> {
  return useRecoveryCodeHash(transaction, accountId, hashCode(code));
}
