import { buffer } from 'node:stream/consumers';
import { deflateSync } from 'node:zlib';
import PDFDocument from 'pdfkit';
import { endlessDeflate } from '../package/zip-archive.fixture';

/** By object number: the source of the object, or its dictionary and stream. */
export type PdfObject = string | [dictionary: string, stream: string | Buffer];
type PdfObjects = Record<number, PdfObject>;

export interface OnePage {
  font?: string;
  resources?: string;
  page?: string;
  root?: string;
  more?: PdfObjects;
  xref?: 'right' | 'wrong';
}

const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
const MEBIBYTE = 1024 * 1024;

export async function pdfkit(
  options: PDFKit.PDFDocumentOptions,
  draw: (document: PDFKit.PDFDocument) => void,
): Promise<Buffer> {
  const document = new PDFDocument(options);
  draw(document);
  document.end();
  return buffer(document);
}

/** Writes a PDF; the first object is its root. */
export function pdfOf(objects: PdfObjects, xref: 'right' | 'wrong' = 'right'): Buffer {
  const chunks = [Buffer.from('%PDF-1.7\n')];
  const offsets: string[] = [];
  let at = chunks[0]!.length;
  for (const [number, object] of Object.entries(objects)) {
    const chunk = Buffer.concat([
      Buffer.from(`${number} 0 obj\n`),
      bodyOf(object),
      Buffer.from('\nendobj\n'),
    ]);
    offsets[Number(number)] = String(at + (xref === 'wrong' ? 777 : 0)).padStart(10, '0');
    chunks.push(chunk);
    at += chunk.length;
  }
  const table = Array.from(offsets, (offset) => (offset ? `${offset} 00000 n ` : '0000000000 65535 f '));
  const trailer = `trailer << /Size ${table.length} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`;
  return Buffer.concat([...chunks, Buffer.from(`xref\n0 ${table.length}\n${table.join('\n')}\n${trailer}`)]);
}

function bodyOf(object: PdfObject): Buffer {
  if (typeof object === 'string') return Buffer.from(object, 'latin1');
  const stream = Buffer.from(object[1]);
  return Buffer.concat([
    Buffer.from(`<< ${object[0]} /Length ${stream.length} >>\nstream\n`),
    stream,
    Buffer.from('\nendstream'),
  ]);
}

/** Uses objects 1 to 5; font F1 is object 4. */
export function onePage(content: PdfObject, options: OnePage = {}): Buffer {
  const { font = FONT, resources = '', page = '', root = '', more = {}, xref } = options;
  return pdfOf(
    {
      1: `<< /Type /Catalog /Pages 2 0 R ${root} >>`,
      2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      3: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> ${resources} >> ${page} >>`,
      4: font,
      5: typeof content === 'string' ? ['', content] : content,
      ...more,
    },
    xref,
  );
}

export const shown = (text: string): string => `BT /F1 12 Tf 50 700 Td (${text}) Tj ET\n`;
export const shownHex = (bytes: Uint8Array): string =>
  `BT /F1 12 Tf 50 700 Td <${Buffer.from(bytes).toString('hex')}> Tj ET`;

/** A font that is not embedded: only its predefined CMap makes the text readable. */
export function cjkFont(cMap: string, ordering: string): string {
  const system = `<< /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >>`;
  const descriptor =
    '<< /Type /FontDescriptor /FontName /STSong /Flags 4 /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 /FontBBox [0 -200 1000 800] >>';
  const descendant = `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong /CIDSystemInfo ${system} /DW 1000 /FontDescriptor ${descriptor} >>`;
  return `<< /Type /Font /Subtype /Type0 /BaseFont /STSong /Encoding /${cMap} /DescendantFonts [${descendant}] >>`;
}

/** A font with a CMap of its own. */
export const FONT_WITH_OWN_MAP = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>';
export const ownMap = (entries: [code: string, text: string][]): PdfObject => [
  '',
  `begincmap 1 begincodespacerange <00> <ff> endcodespacerange ${entries.length} beginbfchar ${entries
    .map(([code, text]) => `<${code}> <${text}>`)
    .join(' ')} endbfchar endcmap`,
];

type PlacedText = [x: number, y: number, text: string];

/** Texts of font size 10 as separate items; characters are 5 wide. */
export function placed(texts: PlacedText[]): Buffer {
  const characters = [...new Set(texts.flatMap(([, , text]) => [...text]))];
  const hex = (character: string): string =>
    (characters.indexOf(character) + 1).toString(16).padStart(2, '0');
  const content = texts.map(
    ([x, y, text]) => `/Span BMC BT /F1 10 Tf ${x} ${y} Td <${[...text].map(hex).join('')}> Tj ET EMC`,
  );
  const widths = `/FirstChar 0 /LastChar 255 /Widths [${'500 '.repeat(256)}]`;
  return onePage(content.join('\n'), {
    font: FONT_WITH_OWN_MAP.replace(' >>', ` ${widths} >>`),
    more: {
      6: ownMap(characters.map((one) => [hex(one), Buffer.from(one, 'utf16le').swap16().toString('hex')])),
    },
  });
}

const BRACKETS = '()[]';
const mirrored = (one: string): string => BRACKETS[BRACKETS.indexOf(one) ^ 1] ?? one;

/**
 * Words from the right margin on, in the order in which browsers draw them: left to right, each from its last letter
 * to its first, Arabic letter by letter. Words without Hebrew or Arabic letters are drawn unchanged.
 */
export function fromRight(y: number, words: string[]): PlacedText[] {
  const texts: PlacedText[] = [];
  let x = 560;
  for (const word of words) {
    const isTurned = /[\u05d0-\u05ea\ufe80-\ufefc]/.test(word);
    const seen = isTurned ? [...word].map(mirrored).reverse() : [...word];
    x -= 5 * seen.length + 3;
    const start = x;
    if (/[\ufe80-\ufefc]/.test(word))
      texts.push(...seen.map((one, at): PlacedText => [start + 5 * at, y, one]));
    else texts.push([start, y, seen.join('')]);
  }
  return texts.sort(([a], [b]) => a - b);
}

/** A stream that unpacks to that many gigabytes of white space. */
export function flateBomb(gigabytes: number): Buffer<ArrayBuffer> {
  const body = endlessDeflate(shown('before the bomb'), Buffer.alloc(MEBIBYTE, ' '), gigabytes * 1024, '\n');
  return Buffer.concat([Buffer.from([0x78, 0x9c]), body, Buffer.alloc(4)]);
}

export const image = (
  width: number,
  height: number,
  packed = deflateSync(Buffer.alloc(width * height, 200)),
): PdfObject => [
  `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode`,
  packed,
];
