import { BadRequestException } from '@nestjs/common';
import { dictionary } from '@zxcvbn-ts/language-common';

/** What names the owner of a password and is therefore guessed first. */
export interface PasswordOwner {
  email?: string | undefined;
  username?: string | null | undefined;
  phone?: string | null | undefined;
}

const COMMON: ReadonlySet<string> = new Set(dictionary['passwords-common']);

/** Chosen: with three, `password2026` passes; with five, what is left of a random password is more often on the list. */
const MAX_ADDED_CHARS = 4;
/** Characters that do not make a word harder to guess, such as digits and punctuation, before or after it. */
const ADDED_BEFORE = new RegExp(`^[^\\p{L}]{1,${MAX_ADDED_CHARS}}`, 'u');
const ADDED_AFTER = new RegExp(`[^\\p{L}]{1,${MAX_ADDED_CHARS}}$`, 'u');
/** A shorter rest says nothing about the password. */
const MIN_REST_CHARS = 4;
/** Digits and signs that stand for letters. */
const STAND_INS: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
};
const REPEATED = /^(.+?)\1+$/su;

/** The text with letters in place of the digits and signs that stand for them. */
export const withLetters = (text: string): string => text.replace(/[@431!0$57]/g, (sign) => STAND_INS[sign]!);

/** What an attacker derives a password from who tries the usual changes: the password itself and what is left without them. */
function originsOf(password: string): string[] {
  const text = password.normalize('NFKC').toLowerCase().trim();
  const [, repeated = text] = REPEATED.exec(text) ?? [];
  const rests = [
    text.replace(ADDED_AFTER, ''),
    text.replace(ADDED_BEFORE, ''),
    text.replace(ADDED_BEFORE, '').replace(ADDED_AFTER, ''),
  ].filter(({ length }) => length >= MIN_REST_CHARS);
  const origins = [text, repeated, ...rests];
  return [...origins, ...origins.map(withLetters)];
}

/** The names in full, the part of the address before the @, and the digits of the phone number, in lower case. */
function namesOf({ email, username, phone }: PasswordOwner): string[] {
  const names = [email, email?.split('@')[0], username, phone, phone?.replace(/\D/g, '')];
  return names.flatMap((name) => (name ? [name.toLowerCase()] : []));
}

/** Why an account may not get a password: it would be guessed within the first tries. Null if it may. */
export function faultOfPassword(password: string, owner: PasswordOwner): string | null {
  const origins = originsOf(password);
  const names = namesOf(owner);
  if (origins.some((origin) => names.includes(origin)))
    return 'must not be the e-mail address, the username or the phone number of the account';
  const isCommon = origins.some((origin) => origin.length === 1 || COMMON.has(origin));
  return isCommon ? 'is too common: it is one of the first that are guessed; choose another one' : null;
}

/** Throws 400 for a password that an account may not get. @param field of the request that holds it */
export function refuseWeakPassword(field: string, password: string, owner: PasswordOwner): void {
  const fault = faultOfPassword(password, owner);
  if (fault !== null) throw new BadRequestException(`${field}: ${fault}`);
}
