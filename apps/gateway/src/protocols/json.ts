import { setImmediate } from 'node:timers/promises';
import { JsonFault, type JsonMember, readJson, readJsonInSlices, type UniqueNames } from '@inference/http';
import { isSafeNumber } from 'lossless-json';
import { InvalidJsonError, InvalidValueError } from '../proxy/request/request.errors';
import { type Fields } from './fields';

/** The body of a request. */
export interface ReadBody {
  fields: Fields;
  /** Writes a value of the body, or one that was made of it, as JSON. */
  write(value: unknown): string;
}

/**
 * Reads the body of a request so that `write` gives back every number as it was: one that a double cannot hold, such as the bounds of
 * a 64-bit integer in the schema of a tool, is an object with its digits meanwhile. Throws InvalidJsonError.
 * @param beforeSlice see `readJsonInSlices`
 */
export async function readBody(raw: unknown, beforeSlice: () => void): Promise<ReadBody> {
  if (!Buffer.isBuffer(raw) || raw.length === 0) throw new InvalidJsonError('The body is empty.');
  try {
    return await readExact(raw, beforeSlice);
  } catch (error) {
    throw error instanceof JsonFault ? new InvalidJsonError(`The body ${error.problem}.`) : error;
  }
}

/** Where the values of these fields are in the body. Throws InvalidValueError for one that is given twice. */
export function membersOf(raw: Buffer, names: UniqueNames): readonly JsonMember[] {
  try {
    return readJson(raw, { names }).members;
  } catch (error) {
    if (!(error instanceof JsonFault) || error.path === undefined) throw error;
    throw new InvalidValueError({ path: error.path, message: error.problem });
  }
}

async function readExact(raw: Buffer, beforeSlice: () => void): Promise<ReadBody> {
  try {
    const { value } = await readJsonInSlices(raw, { refuseInexactNumbers: true }, beforeSlice);
    return { fields: fieldsOf(value), write: JSON.stringify };
  } catch (error) {
    if (!(error instanceof JsonFault) || error.kind !== 'value') throw error;
  }
  const { value } = await readJsonInSlices(await withMarkedNumbers(raw, beforeSlice), {}, beforeSlice);
  return { fields: fieldsOf(value), write: (written) => JSON.stringify(written).replace(MARKED, '$1') };
}

function fieldsOf(value: unknown): Fields {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new InvalidJsonError('The body must be a JSON object.');
  return value as Fields;
}

/** An object with the digits of a number, which nothing takes for a text or a number. */
const MARKED = /\{"\\u0000number":"([-+.\dEe]+)"\}/g;
const BEFORE_DIGITS = Buffer.from('{"\\u0000number":"');
const AFTER_DIGITS = Buffer.from('"}');

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const DIGITS = /-?\d[-+.\dEe]*/g;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/;
/** The shortest number that a double cannot hold. */
const LEAST_INEXACT = '1e999'.length;

/** Other requests wait for so long at most, while numbers are marked. */
const SLICE_MILLIS = 5;

/** The same JSON with an object for each number that a double cannot hold. */
async function withMarkedNumbers(raw: Buffer, beforeSlice: () => void): Promise<Buffer> {
  const text = new GrowingText(raw.length);
  let copied = 0;
  let sliceEnds = performance.now() + SLICE_MILLIS;
  for (let at = 0; at < raw.length;) {
    const quote = raw.indexOf(QUOTE, at);
    const end = quote < 0 ? raw.length : quote;
    const between = end - at < LEAST_INEXACT ? '' : raw.toString('latin1', at, end);
    for (const { 0: digits, index } of between.matchAll(DIGITS)) {
      if (performance.now() >= sliceEnds) {
        await setImmediate();
        beforeSlice();
        sliceEnds = performance.now() + SLICE_MILLIS;
      }
      if (!NUMBER.test(digits) || isSafeNumber(digits)) continue;
      text.append(raw, copied, at + index);
      copied = at + index + digits.length;
      text.append(BEFORE_DIGITS);
      text.append(raw, at + index, copied);
      text.append(AFTER_DIGITS);
    }
    at = quote < 0 ? end : endOfText(raw, quote + 1);
  }
  text.append(raw, copied);
  return text.bytes;
}

/** A part of its own for each number would take many times the memory. */
class GrowingText {
  private buffer: Buffer;
  private length = 0;

  constructor(expectedBytes: number) {
    this.buffer = Buffer.allocUnsafe(expectedBytes);
  }

  get bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  append(source: Buffer, start = 0, end = source.length): void {
    if (this.length + end - start > this.buffer.length)
      this.buffer = Buffer.concat([this.bytes], 2 * (this.length + end - start));
    this.length += source.copy(this.buffer, this.length, start, end);
  }
}

/** Returns the offset behind the quote that ends a text. */
function endOfText(raw: Buffer, start: number): number {
  for (let at = raw.indexOf(QUOTE, start); at >= 0; at = raw.indexOf(QUOTE, at + 1)) {
    let first = at;
    while (first > start && raw[first - 1] === BACKSLASH) first--;
    if ((at - first) % 2 === 0) return at + 1;
  }
  return raw.length;
}
