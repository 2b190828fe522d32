/** The role of a character in a word. */
export const BREAK = 0;
/** Letter of a script that separates words by spaces. */
export const LETTER = 1;
export const DIGIT = 2;
/** Combining mark, which belongs to the letter before it. */
export const MARK = 3;
/** Chinese and Japanese. Words are not separated, and a single character is meaningful. */
export const HAN = 4;
export const HANGUL = 5;
/** Scripts of South-East Asia that do not separate words. */
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
/** Cache by code point, filled on demand. */
const known = new Uint8Array(0x11_0000).fill(UNKNOWN);

export function characterClass(codePoint: number): number {
  const kind = known[codePoint]!;
  return kind === UNKNOWN ? (known[codePoint] = classify(String.fromCodePoint(codePoint))) : kind;
}

function classify(character: string): number {
  return PATTERNS.find(([pattern]) => pattern.test(character))?.[1] ?? BREAK;
}
