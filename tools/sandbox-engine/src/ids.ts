import { randomBytes } from 'node:crypto';

// Random per process, counted per request: unique across restarts without drawing randomness each time.
const processPart = randomBytes(6).toString('hex');
let issued = 0;

/** A unique id such as `chatcmpl-9f2c6a41d07b0000001z`. */
export function nextId(prefix: string): string {
  issued += 1;
  return prefix + processPart + issued.toString(36).padStart(8, '0');
}

/** The present in whole seconds, as OpenAI's `created` wants it. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
