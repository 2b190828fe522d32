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
]);
/** The code pages of DOS, which RTF names. */
const DOS = /^cp(?:437|737|775|85[0-8]|86[0-5]|869)$/;
/** GBK is read as its successor. */
const SUCCESSORS = new Map([['gbk', 'gb18030']]);

/** Decodes an encoding of the Encoding Standard or a code page of DOS. Throws a RangeError for another name. */
export function newDecoder(encoding: string): Decoder {
  const table = TABLES.get(encoding) ?? (DOS.test(encoding) ? encoding : undefined);
  return table === undefined
    ? new TextDecoder(SUCCESSORS.get(encoding) ?? encoding)
    : new TableDecoder(table);
}

/** The name of an encoding for one of its labels in lower case. Throws a RangeError if there is none. */
export const encodingLabelled = (label: string): string =>
  label === 'iso-8859-16' ? label : new TextDecoder(label).encoding;

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
