import { isAscii, isUtf8 } from 'node:buffer';
import { analyse } from 'chardet';
import { balticEncoding, eastAsianEncodingOfOthers, isRatherJapanese } from './alphabets';
import { encodingOfMail, newDecoder } from './decoders';
import { isEvident, isPlausible, isPlausibleEastAsian, isThai } from './plausible-text';
import { declaredEncoding, declaredInText, REPLACEMENT } from './declared-encoding';
import { ExtractionError } from '../../../tables/extraction-error';

const ESCAPE = 0x1b;
const TILDE = 0x7e;
/** Size of a decoded slice: the memory that decoding needs in addition to the file. */
const SLICE_BYTES = 1024 * 1024;
/** How much of a file statistics look at. At half short foreign passages decide; at twice detection takes twice the time. */
const SAMPLE_BYTES = 64 * 1024;
/** How much of a file is examined for UTF-16. */
const PREFIX_BYTES = 4096;
/** ISO-2022-JP switches to Japanese with these (RFC 1468). Other escape sequences, such as the colours of a terminal, do not tell. */
// eslint-disable-next-line no-control-regex
const ISO_2022_JP = /\u001b(?:\$[@B]|\(I)/;
/** The beginnings of ISO-2022-KR and -CN, which the Encoding Standard does not read. */
// eslint-disable-next-line no-control-regex
const ISO_2022_OTHER = /\u001b\$\)[ACG]/;
/** Chinese in HZ-GB-2312, which the Encoding Standard does not read. */
const HZ = /~\{(?:[\u0021-\u0077][\u0021-\u007e]){1,400}~\}/g;
/** Share of a text in HZ below which the signs are quoted. */
const MIN_HZ_SHARE = 0.2;
/**
 * Share of invalid characters up to which a file still counts as UTF-8. Half rejects files with a few damaged
 * bytes; twice accepts files in other encodings.
 */
const MAX_INVALID_UTF8_SHARE = 0.05;
/**
 * Fewer bytes above 0x7f are no evidence of a multi-byte encoding: an accented letter and the letter after it may
 * form a valid Chinese character.
 */
const MIN_HIGH_BYTES = 4;
/** Share of invalid characters up to which a multi-byte encoding is accepted. A wrong encoding produces far more. */
const MAX_INVALID_MULTIBYTE_SHARE = 0.001;
const EAST_ASIAN_UTF16 = /[\t\n\r\u0020-\u007e\u3000-\u30ff\u4e00-\u9fff\uff00-\uff60]/g;
const UTF16_PUNCTUATION = /[\n\u0020\u3001\u3002\uff0c]/;
const OTHER_UTF16 =
  /[\t\n\r\u0020-\u007e\u00a0-\u00ff\u2010-\u2026\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Thai}\p{Script=Hangul}]/gu;
const UTF16_SPACE = /[\n\u0020]/;
/** Share of ordinary characters above which bytes are UTF-16. Other encodings read as UTF-16 give random characters. */
const MIN_ORDINARY_UTF16_SHARE = 0.95;
/** Latin text in UTF-16 has NULs in half of its bytes, nearly all at even or all at odd offsets. The limits leave room for other characters. */
const MIN_NUL_SHARE = 0.2;
const MAX_NUL_SHARE_AT_OTHER_OFFSETS = 0.02;
/** A file with more control characters than both limits is binary. Texts contain a few by accident. */
const MAX_CONTROL_SHARE = 0.02;
const MAX_CONTROLS = 8;
/** GB 2312: lead bytes of level 1, and of the rows of punctuation and symbols before it. */
const GB2312 = { first: 0xa1, last: 0xf7, symbolsEnd: 0xa4, level1First: 0xb0, level1Last: 0xd7 };
/** Share of common characters above which byte pairs are Chinese. Other multi-byte encodings spread over all rows. */
const MIN_COMMON_CHINESE_SHARE = 0.9;
/**
 * Results of the statistical detector that are accepted. Its other encodings are rare, and often wrong for short
 * texts.
 */
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
  'koi8-u',
  'iso-8859-1',
  'iso-8859-2',
  'iso-8859-5',
  'iso-8859-6',
  'iso-8859-7',
]);
/** What the detector calls an encoding, and the ones with more letters that it does not tell apart. */
const WIDER: Record<string, string[]> = {
  'koi8-r': ['koi8-r', 'koi8-u'],
  'iso-8859-8': ['windows-1255'],
  'iso-8859-8-i': ['windows-1255'],
  'iso-8859-9': ['windows-1254'],
};
const MULTIBYTE_ENCODINGS = new Set(['gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr']);
/** Of 100, as the detector reports it. Twice rejects correct guesses for short texts; half accepts wrong ones. */
const MIN_CONFIDENCE = 10;
/**
 * Determines the encoding by byte order mark, then the escape sequences of seven-bit encodings, then UTF-8 if it is (nearly)
 * valid, then UTF-16 without a mark, then the declaration in HTML, XML or source code, then statistics. Throws `unsupported` if the text would be
 * wrong in every encoding that is known.
 * @param named what is known of a page that declares nothing
 */
export function detectEncoding(bytes: Uint8Array, isHtml: boolean, named?: string): string {
  const marked = byteOrderMark(bytes);
  if (marked) return marked;
  const declared = isHtml ? declaredEncoding(bytes) : undefined;
  if (declared === REPLACEMENT || isUnreadableSevenBit(bytes)) throw unreadable();
  if (isIso2022Jp(bytes) && (declared === 'iso-2022-jp' || isIntact(bytes, 'iso-2022-jp')))
    return 'iso-2022-jp';
  if (isMostlyUtf8(bytes)) return 'utf-8';
  const wide = unmarkedUtf16(bytes);
  if (wide) return wide;
  // A page that declares UTF-8 and contains invalid bytes is more often damaged than in another encoding.
  const encoding = declared ?? named ?? (isHtml ? undefined : declaredInText(bytes)) ?? guessEncoding(bytes);
  if (encoding === undefined) throw unreadable();
  return encoding;
}

/**
 * The encoding of a text in a mail: by byte order mark, then the one that the mail names, then as of a file. Throws `unsupported` as
 * `detectEncoding` does.
 */
export const encodingOfPart = (bytes: Uint8Array, charset: string, isHtml: boolean): string =>
  byteOrderMark(bytes) ?? encodingOfMail(charset) ?? detectEncoding(bytes, isHtml);

function unreadable(): ExtractionError {
  return new ExtractionError(
    'unsupported',
    'The file is not text, or its encoding cannot be recognised; save it as UTF-8.',
  );
}

/** Bytes above 0x7f do not occur in seven-bit encodings. */
function sevenBitText(bytes: Uint8Array): string {
  const sample = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return isAscii(sample) ? sample.toString('latin1') : '';
}

function isIso2022Jp(bytes: Uint8Array): boolean {
  return bytes.includes(ESCAPE) && ISO_2022_JP.test(sevenBitText(bytes));
}

/** Logs quote escape sequences of Japanese without being in it. */
function isIntact(bytes: Uint8Array, encoding: string): boolean {
  const decoder = newDecoder(encoding);
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    const stream = at + SLICE_BYTES < bytes.length;
    if (decoder.decode(bytes.subarray(at, at + SLICE_BYTES), { stream }).includes('\ufffd')) return false;
  }
  return true;
}

function isUnreadableSevenBit(bytes: Uint8Array): boolean {
  if (!bytes.includes(ESCAPE) && !bytes.includes(TILDE)) return false;
  const text = sevenBitText(bytes).slice(0, SAMPLE_BYTES);
  if (ISO_2022_OTHER.test(text)) return true;
  const chinese = (text.match(HZ) ?? []).reduce((sum, one) => sum + one.length, 0);
  return chinese > text.length * MIN_HZ_SHARE;
}

/** Decodes in slices, so that no second copy of a large file is in memory. */
export function* decodeText(
  bytes: Uint8Array,
  encoding: string,
): Generator<{ text: string; processed: number }> {
  const decoder = newDecoder(encoding);
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    const slice = bytes.subarray(at, at + SLICE_BYTES);
    const processed = Math.min(bytes.length, at + SLICE_BYTES);
    const text = decoder.decode(slice, { stream: processed < bytes.length });
    if (at === 0) refuseBinary(text);
    yield { text, processed };
  }
}

/** Decodes a short text. */
export const decodeWhole = (bytes: Uint8Array, encoding: string): string =>
  newDecoder(encoding).decode(bytes);

function byteOrderMark(bytes: Uint8Array): string | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe && !(c === 0 && d === 0 && bytes.length % 4 === 0)) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if ((a === 0xff && b === 0xfe) || (a === 0 && b === 0 && c === 0xfe && d === 0xff)) {
    throw new ExtractionError('unsupported', 'The text is in UTF-32; save it as UTF-8.');
  }
  return undefined;
}

function isMostlyUtf8(bytes: Uint8Array): boolean {
  // Text in UTF-16 may be valid UTF-8 that is full of controls.
  return isUtf8(bytes) ? !bytes.includes(0) || unmarkedUtf16(bytes) === undefined : isDamagedUtf8(bytes);
}

function isDamagedUtf8(bytes: Uint8Array): boolean {
  const text = new TextDecoder('utf-8').decode(bytes.subarray(0, SAMPLE_BYTES));
  // eslint-disable-next-line no-control-regex
  const foreign = text.match(/[^\u0000-\u007f\ufffd]/gu)?.length ?? 0;
  return foreign > 0 && countInvalid(text) <= foreign * MAX_INVALID_UTF8_SHARE;
}

function unmarkedUtf16(bytes: Uint8Array): string | undefined {
  return latinUtf16(bytes) ?? ['utf-16le', 'utf-16be'].find((encoding) => isUtf16(bytes, encoding));
}

/** Detects Latin text in UTF-16, which has a NUL in every other byte. */
function latinUtf16(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, PREFIX_BYTES);
  let even = 0;
  let odd = 0;
  for (const [at, byte] of sample.entries()) {
    if (byte === 0 && at % 2 === 0) even += 1;
    if (byte === 0 && at % 2 === 1) odd += 1;
  }
  const isOneSided = (one: number, other: number) =>
    one > sample.length * MIN_NUL_SHARE && other < sample.length * MAX_NUL_SHARE_AT_OTHER_OFFSETS;
  if (isOneSided(odd, even)) return 'utf-16le';
  if (isOneSided(even, odd)) return 'utf-16be';
  return undefined;
}

function isUtf16(bytes: Uint8Array, encoding: string): boolean {
  if (bytes.length % 2 !== 0) return false;
  const text = new TextDecoder(encoding).decode(bytes.subarray(0, PREFIX_BYTES));
  const least = text.length * MIN_ORDINARY_UTF16_SHARE;
  return [
    [UTF16_PUNCTUATION, EAST_ASIAN_UTF16],
    // A space in UTF-16 has a NUL, which eight-bit text lacks.
    [UTF16_SPACE, OTHER_UTF16],
  ].some(([sign, ordinary]) => sign!.test(text) && (text.match(ordinary!)?.length ?? 0) > least);
}

/** The most likely encoding in which the bytes are plausible text, or undefined. */
function guessEncoding(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const decode = (encoding: string): string => newDecoder(encoding).decode(sample, { stream: true });
  const certain = eastAsianEncodingOfOthers(decode) ?? balticEncoding(decode);
  if (certain) return certain;
  // Statistics do not know Thai.
  if (!isCommonChinese(sample) && isThai(decodeWhole(sample, 'windows-874'))) return 'windows-874';
  let guess = [...likelyEncodings(sample), 'windows-1252'].find((name) => isPlausibleEncoding(sample, name));
  // Statistics are unreliable for short texts. Byte pairs that are all common Chinese characters are better evidence,
  // except for Korean.
  if (guess !== 'euc-kr' && isCommonChinese(sample)) guess = 'gb18030';
  if (guess === 'gb18030' && isRatherJapanese(decode('gb18030'), decode('euc-jp'))) guess = 'euc-jp';
  if (guess === undefined || !isEvident(decodeWhole(sample, guess), guess, sample)) return undefined;
  return guess;
}

const likelyEncodings = (sample: Uint8Array): string[] =>
  analyse(sample)
    .filter(({ confidence }) => confidence >= MIN_CONFIDENCE)
    .flatMap(({ name }) => WIDER[name.toLowerCase()] ?? [name.toLowerCase()])
    .filter((name) => DETECTABLE.has(name))
    .map((name) => new TextDecoder(name).encoding);

/** Level 1 of GB 2312 has 3,755 characters, which are nearly all of everyday Chinese. */
function isCommonChinese(bytes: Uint8Array): boolean {
  let pairs = 0;
  let common = 0;
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) continue;
    const trail = bytes[++at] ?? GB2312.first;
    if (lead < GB2312.first || lead > GB2312.last || trail < GB2312.first) return false;
    pairs++;
    if (lead < GB2312.symbolsEnd || (lead >= GB2312.level1First && lead <= GB2312.level1Last)) common++;
  }
  return pairs > 1 && common > pairs * MIN_COMMON_CHINESE_SHARE;
}

function isPlausibleEncoding(sample: Uint8Array, encoding: string): boolean {
  if (!MULTIBYTE_ENCODINGS.has(encoding)) {
    return isPlausible(decodeWhole(sample, encoding), encoding);
  }
  if (sample.subarray(0, PREFIX_BYTES).filter((byte) => byte >= 0x80).length < MIN_HIGH_BYTES) return false;
  const text = newDecoder(encoding).decode(sample, { stream: true });
  return countInvalid(text) <= text.length * MAX_INVALID_MULTIBYTE_SHARE && isPlausibleEastAsian(text);
}

function countInvalid(text: string): number {
  return text.match(/[\ufffd\ue000-\uf8ff]/g)?.length ?? 0;
}

function refuseBinary(text: string): void {
  const sample = text.slice(0, SAMPLE_BYTES);
  // eslint-disable-next-line no-control-regex
  const controls = sample.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/g)?.length ?? 0;
  if (controls > MAX_CONTROLS && controls > sample.length * MAX_CONTROL_SHARE) {
    throw new ExtractionError('unsupported', 'The file is not text.');
  }
}
