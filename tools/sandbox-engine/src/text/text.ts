import { WORDS } from './vocabulary';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const GOLDEN_RATIO = 0x9e3779b9;

const SPACED_WORDS = WORDS.map((word) => ` ${word}`);

/** The 32-bit FNV-1a hash of a text. `seed` is the hash of the preceding text, if there is one. */
export function hashText(text: string, seed: number = FNV_OFFSET): number {
  let hash = seed;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return hash >>> 0;
}

/** The 32-bit pseudo-random number at a position of the sequence of `seed` (MurmurHash3's finalizer). */
export function numberAt(seed: number, position: number): number {
  let mixed = (seed + Math.imul(position + 1, GOLDEN_RATIO)) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** The token at `position` (from 0) of the text of `seed`. It needs no escaping in JSON. */
export function tokenAt(seed: number, position: number): string {
  const words = position === 0 ? WORDS : SPACED_WORDS;
  return words[numberAt(seed, position) % words.length] ?? '';
}

/** The first `count` tokens of the text of `seed`. */
export function textOf(seed: number, count: number): string {
  let text = '';
  for (let position = 0; position < count; position += 1) text += tokenAt(seed, position);
  return text;
}

/** The seed for the text of the choice at `index` (from 0). */
export function choiceSeed(promptHash: number, index: number): number {
  return index === 0 ? promptHash : numberAt(promptHash, -1 - index);
}
