import { isUtf8 } from 'node:buffer';
import { analyse } from 'chardet';
import { ReadingError } from './reading-error';

const SLICE_BYTES = 1024 * 1024;
const SAMPLE_BYTES = 64 * 1024;
const META_BYTES = 4096;
const META_CHARSET = /<(?:meta|\?xml)[^>]{0,512}?(?:charset|encoding)\s*=\s*["']?\s*([\w:-]{1,40})/i;
/** Lone damaged characters do not make a file something else than UTF-8. */
const MAX_DAMAGE = 0.05;
/** One accented letter and the letter after it can pass for a Chinese character. */
const MIN_HIGH_BYTES = 4;
const MAX_WIDE_DAMAGE = 0.001;
const ORDINARY_UTF16 = /[\t\n\r\u0020-\u007e\u3000-\u30ff\u4e00-\u9fff\uff00-\uff60]/g;
const UTF16_PUNCTUATION = /[\n\u0020\u3001\u3002\uff0c]/;
const MAX_CONTROL_SHARE = 0.02;
/** Of the detector's guesses these are believed; its others are rare today and often wrong on short texts. */
const DETECTABLE = new Set([
  'gb18030',
  'big5',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'koi8-r',
  'iso-8859-1',
  'iso-8859-2',
  'iso-8859-5',
  'iso-8859-7',
]);
const WIDE_ENCODINGS = new Set(['gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr']);
const MIN_CONFIDENCE = 10;
// Node 20's TextDecoder reads windows-1252 as ISO 8859-1 (no euro sign, no curly quotes): put 0x80…0x9f right here.
const WINDOWS_1252_HIGH = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** The encoding's name, by byte order mark, then declaration, then UTF-8 if it is valid, then by statistics. */
export function encodingOf(bytes: Uint8Array, isHtml: boolean): string {
  const marked = byteOrderMark(bytes);
  if (marked) return marked;
  if (isMostlyUtf8(bytes)) return 'utf-8';
  const wide = unmarkedUtf16(bytes);
  if (wide) return wide;
  // A page that says UTF-8 and is not is more often damaged in a few bytes than written in another encoding.
  return (isHtml ? metaCharset(bytes) : undefined) ?? detected(bytes) ?? 'windows-1252';
}

/** The text in slices, so that no second copy of a large file is made. */
export function* decode(bytes: Uint8Array, encoding: string): Generator<{ text: string; processed: number }> {
  const decoder = new TextDecoder(encoding);
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    const slice = bytes.subarray(at, at + SLICE_BYTES);
    const processed = Math.min(bytes.length, at + SLICE_BYTES);
    const text = decoder.decode(slice, { stream: processed < bytes.length });
    if (at === 0) refuseBinary(text);
    yield { text: encoding === 'windows-1252' ? windows1252(text) : text, processed };
  }
}

function byteOrderMark(bytes: Uint8Array): string | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe && !(c === 0 && d === 0 && bytes.length % 4 === 0)) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if ((a === 0xff && b === 0xfe) || (a === 0 && b === 0 && c === 0xfe && d === 0xff)) {
    throw new ReadingError('unsupported', 'The text is in UTF-32; save it as UTF-8.');
  }
  return undefined;
}

function known(label: string): string | undefined {
  try {
    const encoding = new TextDecoder(label).encoding;
    // A declaration that can be read as ASCII cannot be true of UTF-16: the HTML standard takes it for UTF-8.
    return encoding.startsWith('utf-16') ? 'utf-8' : encoding;
  } catch {
    return undefined;
  }
}

function metaCharset(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(META_BYTES, bytes.length)).toString(
    'latin1',
  );
  const label = META_CHARSET.exec(start)?.[1];
  return label === undefined ? undefined : known(label);
}

function isMostlyUtf8(bytes: Uint8Array): boolean {
  // ASCII in UTF-16 is valid UTF-8 full of NULs.
  return isUtf8(bytes) ? latinUtf16(bytes) === undefined : isDamagedUtf8(bytes);
}

function isDamagedUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder('utf-8').decode(bytes.subarray(0, SAMPLE_BYTES));
  // eslint-disable-next-line no-control-regex
  const foreign = text.match(/[^\u0000-\u007f\ufffd]/gu)?.length ?? 0;
  return foreign > 0 && damage(text) <= foreign * MAX_DAMAGE;
}

function unmarkedUtf16(bytes: Uint8Array): string | undefined {
  return latinUtf16(bytes) ?? ['utf-16le', 'utf-16be'].find((encoding) => isEastAsianUtf16(bytes, encoding));
}

/** Latin text in UTF-16 has a NUL in every other byte. */
function latinUtf16(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, META_BYTES);
  let even = 0;
  let odd = 0;
  for (const [at, byte] of sample.entries()) {
    if (byte === 0 && at % 2 === 0) even += 1;
    if (byte === 0 && at % 2 === 1) odd += 1;
  }
  if (odd > sample.length * 0.2 && even < sample.length * 0.02) return 'utf-16le';
  if (even > sample.length * 0.2 && odd < sample.length * 0.02) return 'utf-16be';
  return undefined;
}

function isEastAsianUtf16(bytes: Uint8Array, encoding: string): boolean {
  if (bytes.length % 2 !== 0) return false;
  const text = new TextDecoder(encoding).decode(bytes.subarray(0, META_BYTES));
  return UTF16_PUNCTUATION.test(text) && (text.match(ORDINARY_UTF16)?.length ?? 0) > text.length * 0.95;
}

function detected(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const guess = analyse(sample)
    .map(({ name, confidence }) => ({ name: name.toLowerCase(), confidence }))
    .find(
      ({ name, confidence }) =>
        confidence >= MIN_CONFIDENCE && DETECTABLE.has(name) && decodesWell(sample, name),
    );
  // Statistics need length. Pairs of bytes that are all common Chinese characters say more, unless they are Korean.
  if (guess?.name !== 'euc-kr' && isCommonChinese(sample)) return 'gb18030';
  return guess && new TextDecoder(guess.name).encoding;
}

/** The 3,755 characters of GB 2312's first level are nearly all of everyday Chinese. */
function isCommonChinese(bytes: Uint8Array): boolean {
  let pairs = 0;
  let common = 0;
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) continue;
    const trail = bytes[++at] ?? 0xa1;
    if (lead < 0xa1 || lead > 0xf7 || trail < 0xa1) return false;
    pairs++;
    if (lead < 0xa4 || (lead >= 0xb0 && lead <= 0xd7)) common++;
  }
  return pairs > 1 && common > pairs * 0.9;
}

function decodesWell(bytes: Uint8Array, encoding: string): boolean {
  if (!WIDE_ENCODINGS.has(encoding)) return true;
  if (bytes.subarray(0, META_BYTES).filter((byte) => byte >= 0x80).length < MIN_HIGH_BYTES) return false;
  const text = new TextDecoder(encoding).decode(bytes, { stream: true });
  return damage(text) <= text.length * MAX_WIDE_DAMAGE;
}

function damage(text: string): number {
  return text.match(/[\ufffd\ue000-\uf8ff]/g)?.length ?? 0;
}

function refuseBinary(text: string): void {
  const sample = text.slice(0, 64 * 1024);
  // eslint-disable-next-line no-control-regex
  const controls = sample.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/g)?.length ?? 0;
  if (controls > 8 && controls > sample.length * MAX_CONTROL_SHARE) {
    throw new ReadingError('unsupported', 'The file is not text.');
  }
}

function windows1252(text: string): string {
  return text.replace(
    /[\u0080-\u009f]/g,
    (character) => WINDOWS_1252_HIGH[character.charCodeAt(0) - 0x80] ?? '',
  );
}
