import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Logger } from '@nestjs/common';

/** Fast: a batch of documents is packed in a millisecond. */
const LEVEL = 1;
/** More words are not kept, so that packing and searching stay short. Twice as many words are a language or mistakes. */
const MAX_WORDS = 400_000;
/** Longer ones are not typed. With at most three bytes a letter, all words together stay below the bytes that are unpacked. */
const MAX_LETTERS = 32;
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;
/** Words of further first letters are found if their first letter is right. All of Latin, Greek and Cyrillic are fewer. */
const MAX_FIRST_LETTERS = 1_000;
const LAST_LETTER = '\uffff';
const SEPARATOR = '\n';

const logger = new Logger('Vocabulary');

/** Packs the distinct words of a segment, in ascending order. */
export function packVocabulary(words: Iterable<string>): Uint8Array {
  const sorted = [...words]
    .filter(({ length }) => length <= MAX_LETTERS)
    .sort()
    .slice(0, MAX_WORDS);
  return sorted.length === 0 ? new Uint8Array() : deflateRawSync(sorted.join(SEPARATOR), { level: LEVEL });
}

/** Words that cannot be unpacked only correct no typing errors. They must not stop a search or a merge. */
export function unpackVocabulary(packed: Uint8Array): string[] {
  if (packed.length === 0) return [];
  try {
    return inflateRawSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES }).toString('utf8').split(SEPARATOR);
  } catch (error) {
    logger.warn(`The words of a segment cannot be unpacked: ${String(error)}`);
    return [];
  }
}

/** The words of several segments. */
export const mergeVocabularies = (packed: readonly Uint8Array[]): Uint8Array =>
  packVocabulary(new Set(packed.flatMap(unpackVocabulary)));

/**
 * The words that differ from a word by one edit. Most share its first letter, and stand together; those with another first letter
 * are looked up one by one.
 * @param vocabulary in ascending order
 */
export function neighboursIn(vocabulary: readonly string[], word: string): string[] {
  const [first, rest] = [word[0]!, word.slice(1)];
  const near = vocabulary
    .slice(placeIn(vocabulary, first), placeIn(vocabulary, first + LAST_LETTER))
    .filter(
      (other) => Math.abs(other.length - word.length) <= 1 && other !== word && differByOneEdit(word, other),
    );
  const others = firstLettersIn(vocabulary).flatMap((letter) => [letter + rest, letter + word]);
  const swapped = word.length > 1 ? word[1]! + first + word.slice(2) : word;
  const known = new Set([rest, swapped, ...others].filter((other) => other[0] !== first));
  return [...near, ...[...known].filter((other) => vocabulary[placeIn(vocabulary, other)] === other)];
}

function firstLettersIn(vocabulary: readonly string[]): string[] {
  const letters: string[] = [];
  for (let at = 0; at < vocabulary.length && letters.length < MAX_FIRST_LETTERS;) {
    const letter = vocabulary[at]![0]!;
    letters.push(letter);
    at = placeIn(vocabulary, letter + LAST_LETTER);
  }
  return letters;
}

/** The place of a word, or of the first one after it. */
function placeIn(vocabulary: readonly string[], word: string): number {
  let [from, to] = [0, vocabulary.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (vocabulary[middle]! < word) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Whether two different words differ by one letter that is added, missing, wrong or swapped with the next one. */
function differByOneEdit(one: string, other: string): boolean {
  if (one.length > other.length) return differByOneEdit(other, one);
  if (other.length - one.length > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let [end, otherEnd] = [one.length, other.length];
  while (end > start && one[end - 1] === other[otherEnd - 1]) {
    end -= 1;
    otherEnd -= 1;
  }
  if (end - start <= 1 && otherEnd - start <= 1) return true;
  const isSwapped = end - start === 2 && otherEnd - start === 2;
  return isSwapped && one[start] === other[start + 1] && one[start + 1] === other[start];
}
