import iconv from 'iconv-lite';

export interface Decoder {
  decode(bytes: Uint8Array, options?: { stream?: boolean }): string;
}

/**
 * Encodings whose tables in Node 20 are not those of the Encoding Standard: windows-1252 without the euro sign and quotes, Korean without
 * 8,822 syllables, Big5 without the characters of Hong Kong, and those that Node lacks.
 */
const TABLES = new Map([
  ['windows-1252', 'windows-1252'],
  ['euc-kr', 'cp949'],
  ['big5', 'big5hkscs'],
  ['iso-8859-16', 'iso-8859-16'],
  ['utf-7', 'utf-7'],
]);
/** The code pages of DOS, which RTF names. */
const DOS = /^cp(?:437|737|775|85[025-8]|86[0-5]|869)$/;
/** GBK is read as its successor. */
const SUCCESSORS = new Map([['gbk', 'gb18030']]);

/** Decodes an encoding of the Encoding Standard or a code page of DOS. Throws a RangeError for another name. */
export function newDecoder(encoding: string): Decoder {
  const table = TABLES.get(encoding) ?? (DOS.test(encoding) ? encoding : undefined);
  return table === undefined
    ? new TextDecoder(SUCCESSORS.get(encoding) ?? encoding)
    : new TableDecoder(table);
}

/** Code pages of Windows whose encoding has another name. */
const CODE_PAGES = new Map([
  [866, 'ibm866'],
  [874, 'windows-874'],
  [932, 'shift_jis'],
  [936, 'gb18030'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [10000, 'macintosh'],
  [20866, 'koi8-r'],
  [21866, 'koi8-u'],
  [50220, 'iso-2022-jp'],
  [50221, 'iso-2022-jp'],
  [50222, 'iso-2022-jp'],
  [51932, 'euc-jp'],
  [51949, 'euc-kr'],
  [54936, 'gb18030'],
  [65001, 'utf-8'],
]);
/** The code pages of ISO 8859 are this number and that of its part. */
const ISO_8859 = 28_590;

/** The encoding of a code page of Windows, or undefined. */
export function encodingOfCodePage(page: number): string | undefined {
  const part = page - ISO_8859;
  if (page >= 1250 && page <= 1258) return `windows-${page}`;
  if (DOS.test(`cp${page}`)) return `cp${page}`;
  return part >= 1 && part <= 16 && part !== 12 ? encodingLabelled(`iso-8859-${part}`) : CODE_PAGES.get(page);
}

/** Names of encodings besides the labels of the Encoding Standard: code pages, and in mails UTF-7. */
const CODE_PAGE = /^(?:cp|ibm|ms|windows)-?(\d{3,5})$/;
const UTF_7 = /^(?:unicode-1-1-)?utf-?7$/;

/** The name of an encoding for one of its labels, or for a code page, in lower case. Throws a RangeError if there is none. */
export function encodingLabelled(label: string): string {
  if (label === 'iso-8859-16') return label;
  return encodingOfCodePage(Number(CODE_PAGE.exec(label)?.[1])) ?? new TextDecoder(label).encoding;
}

/** The encoding that a mail names; undefined if it says nothing more than that its text is text, or the name is unknown. */
export function encodingOfMail(charset: string): string | undefined {
  const label = charset.trim().toLowerCase();
  // What declares ASCII and holds other bytes, and UTF-16 without an order of bytes, is told by its bytes.
  if (/^(?:us-?)?ascii$|^ansi_x3\.4|^utf-?16$/.test(label)) return undefined;
  if (UTF_7.test(label)) return 'utf-7';
  try {
    return encodingLabelled(label);
  } catch {
    return undefined;
  }
}

class TableDecoder implements Decoder {
  private decoder: iconv.DecoderStream | undefined;

  constructor(private readonly table: string) {}

  decode(bytes: Uint8Array, { stream = false } = {}): string {
    const decoder = (this.decoder ??= iconv.getDecoder(this.table));
    const text = decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    if (stream) return text;
    this.decoder = undefined;
    return text + (decoder.end() ?? '');
  }
}
