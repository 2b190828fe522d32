/** When a token was produced, as its text: microseconds of the clock that all processes of a machine share. */

const DIGITS = 15;
/** Characters of a token. */
export const STAMP_LENGTH = DIGITS + 1;

/** @returns {number} microseconds; since when is the system's affair */
export function nowMicros() {
  const [seconds, nanos] = process.hrtime();
  return seconds * 1e6 + Math.floor(nanos / 1e3);
}

export const stamp = () => `${String(nowMicros()).padStart(DIGITS, '0')} `;

/** @param {string} text @param {number} at where the token begins in it */
export const readStamp = (text, at) => Number(text.slice(at, at + DIGITS));
