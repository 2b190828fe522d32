import { Worker } from 'node:worker_threads';
import { BadRequestException } from '@nestjs/common';

/** The body of a JSON upload, its text apart: that may be large, the rest may not. */
export interface JsonDocument {
  fields: Record<string, unknown>;
  /** UTF-8. */
  text: Uint8Array;
}

type Outcome = JsonDocument | { fault: string };

/** Longer bodies are read in a thread of their own: nobody else's request waits for them. */
const INLINE_BYTES = 131_072;
const MAX_REST_BYTES = 131_072;

/** 400 for what is no JSON object with a text. */
export async function parseJsonDocument(body: Buffer): Promise<JsonDocument> {
  const outcome =
    body.length <= INLINE_BYTES ? readJson(body, MAX_REST_BYTES) : await readInThread(new Uint8Array(body));
  if ('fault' in outcome) throw new BadRequestException(outcome.fault);
  return outcome;
}

function readInThread(body: Uint8Array<ArrayBuffer>): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const workerData = { body, most: MAX_REST_BYTES };
    const worker = new Worker(THREAD, { eval: true, workerData, transferList: [body.buffer] });
    worker.once('message', (outcome: Outcome) => resolve(outcome));
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The thread that reads a document ended early.')));
  });
}

/**
 * Reads the member `text` apart from all the rest, of which there may be so many bytes: whatever a body holds, no more
 * is made of it than its text and a little.
 */
function readJson(body: Uint8Array, most: number): Outcome {
  try {
    const decoded = (part: Uint8Array) => new TextDecoder('utf-8', { fatal: true }).decode(part);
    const found = findText(body, most);
    const { start, end } = found ?? { start: body.length, end: body.length };
    const beside = decoded(body.subarray(0, start)) + (found ? '""' : '') + decoded(body.subarray(end));
    const value: unknown = JSON.parse(beside);
    if (value === null || typeof value !== 'object' || Array.isArray(value))
      return { fault: 'the body must be a JSON object' };
    const { text: other, ...fields } = value as Record<string, unknown>;
    if (!found) return { fault: other === undefined ? 'text: is missing' : 'text: must be a string' };
    const text: string = JSON.parse(decoded(body.subarray(start, end)));
    if (text.trim() === '') return { fault: 'text: must not be empty' };
    return { fields, text: new TextEncoder().encode(text) };
  } catch (error) {
    return { fault: error instanceof RangeError ? error.message : 'the body is not valid JSON' };
  }
}

/**
 * Where the string stands that is the member `text` of an object, its quotation marks included; null where there is none.
 * Throws a RangeError for several, for more than `most` bytes beside it, and for what is nested too deeply.
 */
function findText(body: Uint8Array, most: number): { start: number; end: number } | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let [depth, rest, isNext] = [0, 0, false];
  let found: { start: number; end: number } | null = null;
  for (let at = 0; at < bytes.length; at++) {
    const sign = String.fromCharCode(bytes[at]!);
    if (sign === '"') {
      const end = endOfString(bytes, at);
      if (isNext && found) throw new RangeError('text: must be given once');
      if (isNext) found = { start: at, end };
      else rest += end - at;
      const isKey = depth === 1 && end - at === 6 && bytes.toString('latin1', at, end) === '"text"';
      isNext = !isNext && isKey;
      at = end - 1;
    } else {
      rest += 1;
      if (sign === '{' || sign === '[') depth += 1;
      if (sign === '}' || sign === ']') depth -= 1;
      if (!' \t\r\n:'.includes(sign)) isNext = false;
    }
    if (depth > 100) throw new RangeError('the body is nested too deeply');
    if (rest > most) throw new RangeError('everything but the text is too long');
  }
  return found;
}

/** Behind the quotation mark that ends a string; for one without an end, the end of all. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf('"', start + 1); at >= 0; at = bytes.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (bytes[at - 1 - backslashes] === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
  return bytes.length;
}

/** These functions by their source: a thread of an own file would need that file built. */
const THREAD = `
  const { parentPort, workerData } = require('node:worker_threads');
  ${[readJson, findText, endOfString].join('\n')}
  const outcome = readJson(workerData.body, workerData.most);
  parentPort.postMessage(outcome, outcome.text ? [outcome.text.buffer] : []);`;
