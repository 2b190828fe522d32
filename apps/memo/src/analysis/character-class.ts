/** How a character takes part in words. */
export const BREAK = 0;
/** Of a script that puts spaces between words, or a digit. */
export const LETTER = 1;
export const DIGIT = 2;
/** Belongs to the letter before it. */
export const MARK = 3;
/** Chinese and Japanese: words are not set apart, and a character already says much. */
export const HAN = 4;
export const HANGUL = 5;
/** Scripts of South-East Asia, which write a sentence without spaces. */
export const UNSPACED = 6;
export const APOSTROPHE = 7;

const PATTERNS: [pattern: RegExp, kind: number][] = [
  [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々〆]/u, HAN],
  [/\p{Script=Hangul}/u, HANGUL],
  [/[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u, UNSPACED],
  [/\p{L}/u, LETTER],
  [/\p{N}/u, DIGIT],
  [/\p{M}/u, MARK],
  [/['’]/u, APOSTROPHE],
];

const UNKNOWN = 0xff;
/** Of the characters that have been met; the others are looked at when they are. */
const known = new Uint8Array(0x11_0000).fill(UNKNOWN);

export function classOf(codePoint: number): number {
  const kind = known[codePoint]!;
  return kind === UNKNOWN ? (known[codePoint] = examine(String.fromCodePoint(codePoint))) : kind;
}

function examine(character: string): number {
  return PATTERNS.find(([pattern]) => pattern.test(character))?.[1] ?? BREAK;
}
