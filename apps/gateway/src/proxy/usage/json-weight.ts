import { AT_ONCE_BYTES, atOnce, type SteppedWork, workInSlices } from '@inference/http';

/** Least of a name, a text, a number or a constant, and that of a list or an object: as much as a token of text has. */
const LEAST = 4;

const [QUOTE, BACKSLASH, LOWER_U] = [0x22, 0x5c, 0x75];
const [OPEN_LIST, OPEN_OBJECT] = [0x5b, 0x7b];
const [ZERO, EIGHT, UPPER_D, LOWER_D] = [0x30, 0x38, 0x44, 0x64];
/** Of `\u0061`. */
const UNICODE_ESCAPE_BYTES = 6;
/** Of a step. Measured: one of escapes takes 0.2 ms. */
const STEP_BYTES = 65_536;
/** A native search costs about as much as a loop over this many bytes. */
const SHORT_BYTES = 32;
/** Bytes between the names and values of JSON. */
const IS_BETWEEN = new Uint8Array(256);
for (const byte of Buffer.from(' \t\r\n,:]}')) IS_BETWEEN[byte] = 1;

const weightOf = (bytes: number): number => (bytes > LEAST ? bytes : LEAST);

/**
 * What the names and values of a JSON text weigh: their bytes in UTF-8, without escapes, spaces and signs. The same value weighs the same
 * however it is written, and a name that is given twice weighs twice.
 * @param json valid JSON
 */
export const jsonWeight = (json: Buffer): number => atOnce(weigh(json));

/** A JSON text, and its weight if that takes long to find. */
export interface Weighed {
  raw: Buffer;
  weight?: number | undefined;
}

/** Weighs the body of a request, and the one that it was translated from, beside others if they are long. @param beforeSlice see `workInSlices` */
export async function weighLong(
  request: Weighed & { native?: Weighed },
  beforeSlice: () => void,
): Promise<void> {
  for (const text of request.native ? [request, request.native] : [request]) {
    const { raw } = text;
    if (raw.length > AT_ONCE_BYTES) text.weight = await workInSlices(raw.length, weigh(raw), beforeSlice);
  }
}

function* weigh(json: Buffer): SteppedWork<number> {
  const weighing = new Weighing(json);
  while (!weighing.advance()) yield;
  return weighing.weight;
}

class Weighing {
  weight = 0;
  private at = 0;
  /** Where the text begins that has not ended yet; negative outside of texts. */
  private start = -1;
  /** Bytes of that text that only escapes have. */
  private signs = 0;
  /** The next of each, as far as they have been searched. */
  private quote = -1;
  private backslash = -1;

  constructor(private readonly json: Buffer) {}

  /** Returns whether that was the last step. */
  advance(): boolean {
    const { json } = this;
    let { at, start, signs, weight } = this;
    const until = Math.min(json.length, at + STEP_BYTES);
    while (at < until) {
      if (start < 0) {
        while (at < until && IS_BETWEEN[json[at]!] === 1) at++;
        if (at === until) break;
        const byte = json[at]!;
        if (byte === QUOTE) {
          start = ++at;
          signs = 0;
        } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
          weight += LEAST;
          at++;
        } else {
          const from = at;
          while (at < json.length && IS_BETWEEN[json[at]!] === 0) at++;
          weight += weightOf(at - from);
        }
        continue;
      }
      const next = json[at]!;
      if (next === QUOTE) {
        weight += weightOf(at - start - signs);
        start = -1;
        at++;
      } else if (next === BACKSLASH) {
        const bytes = json[at + 1] === LOWER_U ? UNICODE_ESCAPE_BYTES : 2;
        signs += bytes === 2 ? 1 : bytes - utf8Bytes(json, at + 2);
        at += bytes;
      } else {
        const soon = at + SHORT_BYTES;
        while (at < soon && json[at] !== QUOTE && json[at] !== BACKSLASH) at++;
        if (at < soon) continue;
        if (this.quote < at) this.quote = json.indexOf(QUOTE, at);
        if (this.backslash < at) this.backslash = searched(json.indexOf(BACKSLASH, at));
        at = Math.min(this.quote, this.backslash);
      }
    }
    this.at = at;
    this.start = start;
    this.signs = signs;
    this.weight = weight;
    return at >= json.length;
  }
}

const searched = (at: number): number => (at < 0 ? Infinity : at);

/** Bytes of the character whose four digits are here; half a pair has half of its bytes. */
function utf8Bytes(json: Buffer, at: number): number {
  const [first, second, third] = [json[at]!, json[at + 1]!, json[at + 2]!];
  // Every digit above seven, letters too, is behind it in ASCII.
  if (first === ZERO && second < EIGHT) return second === ZERO && third < EIGHT ? 1 : 2;
  const isHalf = (first === UPPER_D || first === LOWER_D) && second >= EIGHT;
  return isHalf ? 2 : 3;
}

/** As `jsonWeight`, of a value that was parsed. */
export function valueWeight(value: unknown): number {
  if (typeof value === 'string') return weightOf(Buffer.byteLength(value));
  if (value === null || typeof value !== 'object') return weightOf(String(value).length);
  let weight = LEAST;
  if (Array.isArray(value)) for (const entry of value as unknown[]) weight += valueWeight(entry);
  else
    for (const name of Object.keys(value))
      weight += weightOf(Buffer.byteLength(name)) + valueWeight((value as Record<string, unknown>)[name]);
  return weight;
}
