/** `crypto.randomUUID` is missing on pages without TLS. */
const KEY_BYTES = 16;

/** A new value for the header `Idempotency-Key`. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
