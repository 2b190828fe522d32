import { createHash, randomInt } from 'node:crypto';
import { CLOCK_LIMIT_MILLIS, readClockDifferenceMillis, type Transaction } from '@inference/database';
import { Injectable } from '@nestjs/common';
import { Secret, TOTP } from 'otpauth';
import { SealedTokens } from '../sealed-tokens';
import { wrongClock } from '../wrong-clock';
import { type Totp } from './second-factor.entity';
import {
  lockAllTotps,
  lockEnabledTotp,
  replaceRecoveryCodeHashes,
  replaceTotpSecret,
  useRecoveryCodeHash,
  useTotpStep,
} from './second-factor.repository';

/** The parameters of RFC 6238 that every authenticator app supports. */
const DIGITS = 6;
const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;
/** Steps that the clock of an authenticator may be off. */
const WINDOW = 1;

const TOTP_CODE = /^\d{6}$/;

const parameters = { algorithm: 'SHA1', digits: DIGITS, period: PERIOD_SECONDS } as const;

export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** Content of the QR code: `otpauth://totp/<site>:<account>?secret=…`. */
export const totpUrl = (secret: string, site: string, account: string): string =>
  new TOTP({ ...parameters, secret, issuer: site, label: account }).toString();

/** Returns the time step that has this code, null if no step around that time, the present by default, has it. */
export function stepOf(secret: string, code: string, timestamp = Date.now()): number | null {
  if (!TOTP_CODE.test(code)) return null;
  const totp = new TOTP({ ...parameters, secret });
  const delta = totp.validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}

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
function useRecoveryCode(transaction: Transaction, accountId: string, code: string): Promise<boolean> {
  return useRecoveryCodeHash(transaction, accountId, hashCode(code));
}

const PURPOSE = 'totp';

/** Checks the code of an account's authenticator, or one of its recovery codes. Each code works once. */
@Injectable()
export class SecondFactorVerifier {
  constructor(private readonly sealed: SealedTokens) {}

  /**
   * Returns which of the two the code is, null for neither, and uses it up. Locks the authenticator before a recovery code,
   * in the same order as when two factors are turned off. Throws 503 if a code is right and only the clock of this host is wrong.
   */
  async verify(
    transaction: Transaction,
    accountId: string,
    code: string,
  ): Promise<'totp' | 'recovery_code' | null> {
    const totp = await lockEnabledTotp(transaction, accountId, 'check');
    if (!totp) return null;
    if (!TOTP_CODE.test(code))
      return (await useRecoveryCode(transaction, accountId, code)) ? 'recovery_code' : null;
    const secret = await this.unseal(totp);
    const step = stepOf(secret, code);
    if (step === null) await refuseWrongClock(transaction, secret, code);
    return step !== null && (await useTotpStep(transaction, accountId, step)) ? 'totp' : null;
  }

  /** Encrypts an authenticator's secret so that it may be stored. */
  seal(accountId: string, secret: string): Promise<string> {
    return this.sealed.seal(PURPOSE, accountId, { secret });
  }

  unseal(totp: Totp): Promise<string> {
    return unseal(this.sealed, totp);
  }
}

async function refuseWrongClock(transaction: Transaction, secret: string, code: string): Promise<void> {
  const aheadMillis = await readClockDifferenceMillis(transaction);
  if (Math.abs(aheadMillis) <= CLOCK_LIMIT_MILLIS) return;
  if (stepOf(secret, code, Date.now() - aheadMillis) !== null) throw wrongClock(aheadMillis);
}

async function unseal(tokens: SealedTokens, { accountId, sealedSecret }: Totp): Promise<string> {
  const claims = await tokens.open(PURPOSE, accountId, sealedSecret);
  if (!claims)
    throw new Error(`The authenticator secret of ${accountId} opens with none of ENCRYPTION_KEYS.`);
  return String(claims.secret);
}

/** Encrypts the secrets of all authenticators again with the first key and returns their number. */
export async function resealSecrets(transaction: Transaction, tokens: SealedTokens): Promise<number> {
  const totps = await lockAllTotps(transaction);
  for (const totp of totps) {
    const { accountId } = totp;
    const secret = await unseal(tokens, totp);
    await replaceTotpSecret(transaction, accountId, await tokens.seal(PURPOSE, accountId, { secret }));
  }
  return totps.length;
}
