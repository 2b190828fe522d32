import { randomBytes } from 'node:crypto';

// A random prefix per process and a counter: unique across restarts without new random bytes for each request.
const processPart = randomBytes(6).toString('hex');
let issued = 0;

/** A unique id such as `chatcmpl-9f2c6a41d07b0000001z`. */
export function nextId(prefix: string): string {
  issued += 1;
  return prefix + processPart + issued.toString(36).padStart(8, '0');
}

/** The current Unix time in seconds, for OpenAI's `created`. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
