import { Transform } from 'class-transformer';
import { IsIn, IsString, Matches, ValidateBy, type ValidationArguments } from 'class-validator';
import { NOT_FOUND } from '../validation/request-validation.pipe';
import { field, type FieldOptions } from './field';

/** Control characters, ends of lines and of paragraphs. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Scripts whose letters joiners never change. */
const WITHOUT_JOINING = String.raw`[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]`;

/**
 * Characters that nobody sees: marks of direction, which show other characters in another order, and characters without width,
 * which let two names look alike. Allowed are those that change a visible character before them: joiners in scripts and pictures
 * that use them, and variants of a character.
 */
const HIDDEN = new RegExp(
  [
    String.raw`(?<=(?!${WITHOUT_JOINING})[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d](?=\S)`,
    String.raw`(?<=[^\p{Default_Ignorable_Code_Point}\s])[\ufe00-\ufe0f]`,
    String.raw`(?<=\p{sc=Han})[\u{e0100}-\u{e01ef}]`,
    String.raw`(?<=\p{sc=Mongolian})[\u180b-\u180d\u180f]`,
    String.raw`([\p{Default_Ignorable_Code_Point}\ufff9-\ufffb])`,
  ].join('|'),
  'gu',
);

/** Names that objects have by themselves: code that keeps values by name would find or change these. */
const RESERVED_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/** Whether a text contains a character that nobody sees. */
function hasHidden(text: string): boolean {
  for (const [, hidden] of text.matchAll(HIDDEN)) if (hidden !== undefined) return true;
  return false;
}

/** Returns why a text is not accepted as a name; null if it is. */
export function nameFault(text: string): string | null {
  if (CONTROLS.test(text)) return 'must be one line without control characters';
  if (hasHidden(text)) return 'must not contain invisible characters or marks of direction';
  return RESERVED_NAMES.has(text) ? `must not be ${text}` : null;
}

/** Refuses texts that are not accepted as a name (see `nameFault`). For fields whose form is decided by another decorator. */
export const NameText = (): PropertyDecorator =>
  ValidateBy({
    name: 'isNameText',
    validator: {
      validate: (value: unknown) => typeof value !== 'string' || nameFault(value) === null,
      defaultMessage: (checked?: ValidationArguments) => nameFault(String(checked?.value)) ?? '',
    },
  });

const [FIRST_HALF, SECOND_HALF] = [0xd800, 0xdc00];
/** Which half of a character a code unit is. */
const halfOf = (code: number): number => code & 0xfc00;

/** Unicode characters of a text. Copies nothing. */
export function charactersOf(text: string): number {
  let characters = text.length;
  for (let at = 1; at < text.length; at++)
    if (halfOf(text.charCodeAt(at)) === SECOND_HALF && halfOf(text.charCodeAt(at - 1)) === FIRST_HALF)
      characters--;
  return characters;
}

/** Whether a text has so many characters. No longer one is read than twice the most. */
function hasCharacters(text: string, least: number, most: number): boolean {
  const { length } = text;
  if (length < least || length > 2 * most) return false;
  if (length >= 2 * least && length <= most) return true;
  const characters = charactersOf(text);
  return characters >= least && characters <= most;
}

const withCharacters = (name: string, least: number, most: number, message: string) =>
  ValidateBy(
    { name, validator: { validate: (text) => typeof text === 'string' && hasCharacters(text, least, most) } },
    { message },
  );
/** As `MinLength` and `MaxLength`, which make lists of all characters that have two halves: of a text of 32 MiB they take a second. */
export const AtLeast = (characters: number, message: string) =>
  withCharacters('atLeast', characters, Infinity, message);
export const AtMost = (characters: number, message: string) =>
  withCharacters('atMost', 0, characters, message);

export interface NameOptions extends FieldOptions {
  /** For a path: a text of another form names nothing, so the answer is 404 with this message. */
  notFound?: string;
}

export interface TextOptions extends NameOptions {
  /** 1 by default. */
  minLength?: number;
  maxLength?: number;
  /** The form of the text, and the message for any other. */
  pattern?: [form: RegExp, message: string];
  /** Removes surrounding spaces first. */
  trim?: boolean;
  format?: string;
}

/** A repeated parameter of a query arrives as a list. */
const isText = () =>
  IsString({
    message: ({ value }: ValidationArguments) =>
      Array.isArray(value) ? 'must be given once' : 'must be a text',
  });

const trimmed = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));

const messageOf = (message: string, notFound: string | undefined) =>
  notFound === undefined ? { message } : { message, context: { [NOT_FOUND]: notFound } };

/** A text. Lengths count characters; a pair of surrogates is one. */
export function TextField(options: TextOptions): PropertyDecorator {
  const { minLength = 1, maxLength, pattern, trim = false, format, notFound } = options;
  const tooLong = `must have at most ${maxLength} characters`;
  const tooShort = minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`;
  return field(
    options,
    {
      type: 'string',
      ...(minLength > 0 && { minLength }),
      ...(maxLength !== undefined && { maxLength }),
      ...(pattern && { pattern: pattern[0].source }),
      ...(format !== undefined && { format }),
    },
    ...(trim ? [trimmed()] : []),
    isText(),
    ...(minLength > 0 ? [AtLeast(minLength, tooShort)] : []),
    ...(maxLength === undefined ? [] : [AtMost(maxLength, tooLong)]),
    ...(pattern ? [Matches(pattern[0], messageOf(pattern[1], notFound))] : []),
  );
}

/** A title or a name (see `nameFault`). Surrounding spaces are removed. */
export function LineField(
  options: Omit<TextOptions, 'pattern' | 'trim'> & { maxLength: number },
): PropertyDecorator {
  const asText = TextField({ ...options, trim: true });
  const asName = NameText();
  return (target, property) => {
    asText(target, property);
    asName(target, property);
  };
}

/** One of a few texts. */
export function ChoiceField(choices: readonly string[], options: NameOptions): PropertyDecorator {
  const message = `must be one of ${choices.join(', ')}`;
  return field(
    options,
    { type: 'string', enum: [...choices] },
    IsIn(choices, messageOf(message, options.notFound)),
  );
}

export interface IdOptions extends FieldOptions {
  /** What the id names, for the message `no such …` of a path. */
  noun: string;
  /** Prefix of the id, such as `pay` of `pay_0Vc3…`. */
  prefix: string;
}

const MAX_ID_DIGITS = 64;

/**
 * An id that the platform has made (see `newId`). A text of any other form is 400; in a path it is 404, as an unknown id is.
 */
export function IdField({ noun, prefix, ...options }: IdOptions): PropertyDecorator {
  const form = new RegExp(`^${prefix}_[0-9A-Za-z]{1,${MAX_ID_DIGITS}}$`);
  const example = `${prefix}_0Vc3kZ8dQ1mXw7RtYb2LsA`;
  return field(
    { example, ...options },
    { type: 'string', pattern: form.source },
    isText(),
    Matches(form, messageOf(`must be an id like ${example}`, `no such ${noun}`)),
  );
}
