import { ValidateBy, type ValidationArguments } from 'class-validator';

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
