/** 32 hexadecimal digits. Browsers offer `randomUUID` only on pages that were loaded by HTTPS. */
export function makeIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
