/**
 * Why a document cannot be read, whatever is tried again:
 * `empty`: it holds no text; `corrupt`: it is damaged or not what it says it is; `encrypted`: a password is needed;
 * `unsupported`: another kind of file; `too_long`: too much text; `too_complex`: it takes too much time or memory, or
 * is built as no program builds one.
 */
export type FailureCode = 'empty' | 'corrupt' | 'encrypted' | 'unsupported' | 'too_long' | 'too_complex';

/** The document's fault, not ours. The message is a sentence for whoever has sent it. */
export class ReadingError extends Error {
  constructor(
    readonly code: FailureCode,
    message: string,
  ) {
    super(message);
  }
}

/** Of the stack, of a string, of an array: V8's errors have no code, those of Node, say of an offset in a file, have one. */
export function isExhaustion(error: unknown): boolean {
  return error instanceof RangeError && !('code' in error);
}

/** What a library says is wrong with a document, made the end of a sentence. */
export function faultOf(error: unknown): string {
  const message = (error as Error).message.slice(0, 200);
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
