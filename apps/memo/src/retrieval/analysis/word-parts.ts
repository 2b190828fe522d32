import { searchForm } from './search-form';

/** A word in which the case changes, or letters and digits meet. */
const MAY_BE_COMPOUND = /[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]/;
const ASCII_WORD = /[A-Za-z\d]+/g;
const MAX_COMPOUND_CHARACTERS = 64;
const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;
/** Words with signs between them that may be left out: `E-4711`, `max_retry_count`, `e-mail`. */
const JOINED = /(?<![\p{L}\p{N}])[\p{L}\p{N}]{1,40}(?:[-_‐‑][\p{L}\p{N}]{1,40})+/gu;
const JOINT = /[-_‐‑]/g;
/** A longer chain of words is no word. */
const MAX_JOINED_CHARACTERS = 40;
/** Thousands of a number: `1,250,000`, `1.250.000`, `1'250'000` and `1 250 000`. */
const GROUPED = /(?<![\p{N}.,'’])\d{1,3}(?:([.,'’\u00a0\u202f ])\d{3})(?:\1\d{3})*(?![\p{N}])(?![.,'’]\d)/gu;
const GROUPED_BY_SIGN = /(?<![\p{N}.,'’])\d{1,3}(?:([.,'’])\d{3})(?:\1\d{3})*(?![\p{N}])(?![.,'’]\d)/gu;
const NO_DIGIT = /\D/g;

/** Further words by which a text is found: the parts of compounds, compounds without their signs, and numbers without theirs. */
export function wordParts(text: string): string[] {
  const parts: string[] = [];
  if (MAY_BE_COMPOUND.test(text))
    for (const [word] of text.matchAll(ASCII_WORD))
      if (word.length <= MAX_COMPOUND_CHARACTERS && MAY_BE_COMPOUND.test(word))
        for (const [part] of word.matchAll(PART)) parts.push(part.toLowerCase());
  for (const [word] of text.matchAll(JOINED))
    if (word.length <= MAX_JOINED_CHARACTERS) parts.push(searchForm(word.replace(JOINT, '')));
  for (const [number] of text.matchAll(GROUPED)) parts.push(number.replace(NO_DIGIT, ''));
  return parts;
}

/** Writes the numbers of a query without the signs between their thousands, as they are also indexed. */
export const withoutGroups = (query: string): string =>
  query.replace(GROUPED_BY_SIGN, (number) => number.replace(NO_DIGIT, ''));

/** The numbers of a query whose thousands are written apart, as they are also indexed. */
export const groupedNumbers = (query: string): string[] =>
  Array.from(query.matchAll(GROUPED), ([number]) => number.replace(NO_DIGIT, ''));
