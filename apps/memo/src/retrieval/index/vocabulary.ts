import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Fast: a batch of documents is packed in a millisecond. */
const LEVEL = 1;
/** More words are not kept, so that packing and searching stay short. Twice as many words are a language or mistakes. */
const MAX_WORDS = 400_000;
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;
const SEPARATOR = '\n';

/** Packs the distinct words of a segment, in ascending order. */
export function packVocabulary(words: Iterable<string>): Uint8Array {
  const sorted = [...words].sort().slice(0, MAX_WORDS);
  return sorted.length === 0 ? new Uint8Array() : deflateRawSync(sorted.join(SEPARATOR), { level: LEVEL });
}

export function unpackVocabulary(packed: Uint8Array): string[] {
  if (packed.length === 0) return [];
  return inflateRawSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES }).toString('utf8').split(SEPARATOR);
}

/** The words of several segments. */
export const mergeVocabularies = (packed: readonly Uint8Array[]): Uint8Array =>
  packVocabulary(new Set(packed.flatMap(unpackVocabulary)));

/** Whether two different words differ by one letter that is added, missing, wrong or swapped with the next one. */
export function differByOneEdit(one: string, other: string): boolean {
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
