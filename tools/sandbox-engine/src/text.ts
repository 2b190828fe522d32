import { WORDS } from './vocabulary';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const GOLDEN_RATIO = 0x9e3779b9;

const SPACED_WORDS = WORDS.map((word) => ` ${word}`);

/** 32-bit hash of a text, optionally continuing `seed`. */
export function hashText(text: string, seed: number = FNV_OFFSET): number {
  let hash = seed;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return hash >>> 0;
}

/** A well spread 32-bit number for a place in the sequence that `seed` begins (MurmurHash3's finalizer). */
export function numberAt(seed: number, position: number): number {
  let mixed = (seed + Math.imul(position + 1, GOLDEN_RATIO)) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Token number `position` of the text that `seed` begins; safe inside JSON text as it is. */
export function tokenAt(seed: number, position: number): string {
  const words = position === 0 ? WORDS : SPACED_WORDS;
  return words[numberAt(seed, position) % words.length] ?? '';
}

/** The first `count` tokens of the text that `seed` begins, as one text. */
export function textOf(seed: number, count: number): string {
  let text = '';
  for (let position = 0; position < count; position += 1) text += tokenAt(seed, position);
  return text;
}

/** Where the text of choice number `index` begins, for a prompt hashed to `promptHash`. */
export function choiceSeed(promptHash: number, index: number): number {
  return index === 0 ? promptHash : numberAt(promptHash, -1 - index);
}
