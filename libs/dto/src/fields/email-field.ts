import { domainToASCII, domainToUnicode } from 'node:url';
import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { type FieldOptions } from './field';
import { TextField } from './text-field';

/** Marks that nobody sees, and that come along when a text is copied. */
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

const FULL_WIDTH = /[\uff01-\uff5e]/g;
const FULL_WIDTH_OFFSET = 0xfee0;

/** A code, a number or a name as a keyboard for Latin letters would have typed it: full-width characters become the usual ones. */
export const typedPlainly = (text: string): string =>
  text
    .replace(FULL_WIDTH, (character) => String.fromCharCode(character.charCodeAt(0) - FULL_WIDTH_OFFSET))
    .replace(INVISIBLE, '');

/** The longest e-mail address that can receive mail, in bytes of UTF-8 with its domain in ASCII (RFC 5321, section 4.5.3.1). */
export const MAX_EMAIL_LENGTH = 254;

export const EMAIL_MESSAGE = 'must be an e-mail address';

/** A character of an unquoted local part (RFC 5321 and 6531), except those that nobody sees. */
const LOCAL_CHARACTER = String.raw`(?![()<>\[\]:;@\\,."]|\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N}\p{P}\p{S}]`;
const LOCAL_PART = new RegExp(`^(?:${LOCAL_CHARACTER})+(?:\\.(?:${LOCAL_CHARACTER})+)*$`, 'u');

/** What a domain may be typed with: none of the delimiters that `domainToASCII` would read as parts of a URL. */
const TYPED_DOMAIN = /^[\p{L}\p{M}\p{N}\p{Join_Control}.．。｡\-－]+$/u;
/** Joiners are letters of some domains. */
const INVISIBLE_IN_DOMAIN = /(?!\p{Join_Control})\p{Default_Ignorable_Code_Point}/gu;
/** A host name in ASCII with a top-level domain, which no number is. */
const HOST_NAME = /^(?:[a-z0-9][a-z0-9-]{0,62}\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/** Characters that nobody sees may stand beside those that count. */
const MOST_TYPED_FACTOR = 4;

/**
 * Returns an e-mail address as it is stored and compared, or null if the text is none: in lower case, the domain in Unicode (so that
 * `müller.example` and `xn--mller-kva.example` are one), without surrounding spaces and characters that nobody sees, and with the
 * usual characters instead of full-width ones.
 */
export function canonicalEmail(text: string): string | null {
  // Before the domain is converted, which takes quadratic time. An address as typed has at most a few more characters.
  if (text.length > MOST_TYPED_FACTOR * MAX_EMAIL_LENGTH) return null;
  const at = text.search(/[@＠][^@＠]*$/);
  const local = typedPlainly(text.slice(0, Math.max(at, 0)))
    .trim()
    .toLowerCase()
    .normalize('NFC');
  const domain = text
    .slice(at + 1)
    .replace(INVISIBLE_IN_DOMAIN, '')
    .trim();
  if (!LOCAL_PART.test(local) || !TYPED_DOMAIN.test(domain)) return null;
  const ascii = domainToASCII(domain);
  const isTooLong = Buffer.byteLength(local) + 1 + ascii.length > MAX_EMAIL_LENGTH;
  return isTooLong || !HOST_NAME.test(ascii) ? null : `${local}@${domainToUnicode(ascii)}`;
}

export const inLowerCase = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value));

/** An e-mail address. The DTO holds it as it is stored (see `canonicalEmail`). */
export const EmailField = (options: FieldOptions): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (canonicalEmail(value) ?? value) : value,
    ),
    TextField({
      example: 'ann@example.com',
      ...options,
      maxLength: MAX_EMAIL_LENGTH,
      format: 'idn-email',
    }),
    ValidateBy({
      name: 'isEmailAddress',
      validator: {
        validate: (value: unknown) => typeof value !== 'string' || canonicalEmail(value) !== null,
        defaultMessage: () => EMAIL_MESSAGE,
      },
    }),
  );
