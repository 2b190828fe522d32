import { type Site } from '@inference/config';
import { canonicalEmail, typedPlainly } from '@inference/dto';

const PHONE_PUNCTUATION = /[\s().\p{Dash_Punctuation}\u2212]/gu;
const CHINESE_MOBILE = /^1\d{10}$/;

/** A phone number, or a part of one, without what people write between its digits. */
export const withoutPunctuation = (phone: string): string =>
  typedPlainly(phone).replace(PHONE_PUNCTUATION, '');

/**
 * Returns a phone number as it is stored (E.164), or null if the text is none. On the site `cn` a Chinese mobile number
 * needs no country code.
 */
export function normalizePhone(text: string, site: Site): string | null {
  const digits = withoutPunctuation(text);
  const international = site === 'cn' && CHINESE_MOBILE.test(digits) ? `+86${digits}` : digits;
  return /^\+[1-9]\d{6,14}$/.test(international) ? international : null;
}

/**
 * Returns an e-mail address, phone number or username as it is stored. The three cannot be confused: only an e-mail
 * address has an @, and no username begins with a digit or a plus.
 */
export function normalizeIdentifier(text: string, site: Site): string {
  return normalizePhone(text, site) ?? canonicalEmail(text) ?? typedPlainly(text).trim().toLowerCase();
}
