/** A double is printed with at most 17 significant digits. */
const MAX_DIGITS = 17;
const ZERO = 0x30;

/** Whether a double holds a number of JSON with all its digits: 4.999999999999999999 would become 5. Takes linear time. */
export function isExactNumber(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  const digits = significantDigits(token);
  return digits.length <= MAX_DIGITS && digits === significantDigits(String(value));
}

function significantDigits(token: string): string {
  const digits = token.replace(/[eE].*/, '').replace(/[-.]/g, '');
  let start = 0;
  let end = digits.length;
  while (start < end && digits.charCodeAt(start) === ZERO) start++;
  while (end > start && digits.charCodeAt(end - 1) === ZERO) end--;
  return digits.slice(start, end);
}
