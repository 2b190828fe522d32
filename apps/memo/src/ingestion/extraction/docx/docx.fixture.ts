import { zip, type ZipEntry } from '../package/zip-archive.fixture';

const OOXML = 'http://schemas.openxmlformats.org';
const NAMESPACES = `xmlns:w="${OOXML}/wordprocessingml/2006/main" xmlns:mc="${OOXML}/markup-compatibility/2006"`;
export const MAIN_PART = 'word/document.xml';
export const HEAD = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document ${NAMESPACES}><w:body>`;
export const TAIL = '</w:body></w:document>';
const TYPES = `<?xml version="1.0"?><Types xmlns="${OOXML}/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`;

export const paragraph = (text: string): string =>
  `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
export const item = (text: string): string =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;

export function table(rows: string[][]): string {
  const cells = (row: string[]): string => row.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('');
  return `<w:tbl>${rows.map((row) => `<w:tr>${cells(row)}</w:tr>`).join('')}</w:tbl>`;
}

/** A reference to the note that `footnotes` creates, for use in the text of a paragraph. */
export const noteMark =
  '</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t xml:space="preserve">';
export const footnotes = (text: string): ZipEntry => ({
  name: 'word/footnotes.xml',
  data: `<w:footnotes ${NAMESPACES}><w:footnote w:id="2">${paragraph(text)}</w:footnote></w:footnotes>`,
});

/** All parts of a DOCX except the main part. */
export const frame = (target = MAIN_PART): ZipEntry[] => [
  { name: '[Content_Types].xml', data: TYPES },
  {
    name: '_rels/.rels',
    data: `<?xml version="1.0"?><Relationships xmlns="${OOXML}/package/2006/relationships"><Relationship Id="rId1" Type="${OOXML}/officeDocument/2006/relationships/officeDocument" Target="${target}"/></Relationships>`,
  },
];

/** A DOCX with the given main part. */
export const docxOf = (entry: Omit<ZipEntry, 'name'>, more: ZipEntry[] = []): Buffer =>
  zip([...frame(), { name: MAIN_PART, ...entry }, ...more]);
export const docx = (body: string, more: ZipEntry[] = []): Buffer =>
  docxOf({ data: HEAD + body + TAIL }, more);

/** A file in the OLE container of encrypted and of old Office documents. */
export const oleFile = (stream: string): Buffer =>
  Buffer.concat([
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    Buffer.alloc(1_016),
    Buffer.from(stream, 'utf16le'),
    Buffer.alloc(2_000),
  ]);
