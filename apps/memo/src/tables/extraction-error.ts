/**
 * Why the text of a document cannot be extracted; repeating the attempt does not help.
 * `empty`: there is no text. `corrupt`: the file is damaged or not in its format. `encrypted`: it needs a password.
 * `unsupported`: another format. `too_long`: too much text. `too_complex`: extraction takes too much time or memory,
 * or the structure is hostile.
 */
export const FAILURE_CODES = [
  'empty',
  'corrupt',
  'encrypted',
  'unsupported',
  'too_long',
  'too_complex',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** The document is at fault, not the service. The message is a sentence for the uploader. */
export class ExtractionError extends Error {
  constructor(
    readonly code: FailureCode,
    message: string,
  ) {
    super(message);
  }
}

/** Of V8, about a view of bytes: a damaged file names offsets and lengths that it does not have. */
const OUTSIDE_OF_FILE = /outside the bounds|^Invalid typed array length/;

/**
 * Exhaustion of the stack, a string or an array. These errors of V8 have no code; range errors of Node, such as an
 * offset outside a file, have one.
 */
export function isResourceExhaustion(error: unknown): boolean {
  return error instanceof RangeError && !('code' in error) && !OUTSIDE_OF_FILE.test(error.message);
}

/** The message of a library's error as the end of a sentence. */
export function errorSentence(error: unknown): string {
  const message = (error as Error).message.slice(0, 200);
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
