/** Tokens whose text is the time of their creation: microseconds of a clock that all processes of a machine share. */

const DIGITS = 15;
/** Characters of a token. */
export const TOKEN_LENGTH = DIGITS + 1;

/** @returns {number} microseconds of the system's monotonic clock */
export function nowMicros() {
  const [seconds, nanos] = process.hrtime();
  return seconds * 1e6 + Math.floor(nanos / 1e3);
}

export const newToken = () => `${String(nowMicros()).padStart(DIGITS, '0')} `;

/** @param {string} text @param {number} at the offset of the token @returns {number} microseconds */
export const readTimestamp = (text, at) => Number(text.slice(at, at + DIGITS));
