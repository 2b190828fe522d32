import { type Site } from '@inference/config';

/** The longest e-mail address that can receive mail. */
export const MAX_IDENTIFIER_LENGTH = 254;

const PHONE_PUNCTUATION = /[\s().-]/g;
const CHINESE_MOBILE = /^1\d{10}$/;

/** A phone number as it is stored (E.164), or null when it is none. The China site knows its own mobile numbers. */
export function normalisePhone(text: string, site: Site): string | null {
  const digits = text.replace(PHONE_PUNCTUATION, '');
  const international = site === 'cn' && CHINESE_MOBILE.test(digits) ? `+86${digits}` : digits;
  return /^\+[1-9]\d{6,14}$/.test(international) ? international : null;
}

/**
 * What an account is looked up by: its e-mail address, phone number or username, as they are stored. The three
 * never look alike: only the first has an @, and no username begins with a digit or a plus.
 */
export function normaliseIdentifier(text: string, site: Site): string {
  return normalisePhone(text, site) ?? text.trim().toLowerCase();
}
