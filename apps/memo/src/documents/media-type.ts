/** What documents can be made of. */
export type MediaType =
  | 'text/plain'
  | 'text/markdown'
  | 'text/html'
  | 'application/pdf'
  | 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

export const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** So many of a file's first bytes are enough to tell its type. */
export const HEAD_BYTES = 1_024;

const EXTENSIONS: Record<string, MediaType> = {
  txt: 'text/plain',
  text: 'text/plain',
  log: 'text/plain',
  md: 'text/markdown',
  markdown: 'text/markdown',
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'text/html',
  pdf: 'application/pdf',
  docx: DOCX,
};
const TYPES: Record<string, MediaType> = {
  'text/plain': 'text/plain',
  'text/markdown': 'text/markdown',
  'text/x-markdown': 'text/markdown',
  'text/html': 'text/html',
  'application/xhtml+xml': 'text/html',
  'application/pdf': 'application/pdf',
  [DOCX]: DOCX,
};
const PDF = Buffer.from('%PDF-');
/** Of an empty and of any other ZIP archive. */
const ZIP = [Buffer.from('PK\x03\x04', 'latin1'), Buffer.from('PK\x05\x06', 'latin1')];
/** In which Office wraps what it encrypts. */
const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/**
 * The type of a file by its first bytes where those tell, otherwise by its name, otherwise by what its sender says; null
 * for what is no document that can be read.
 */
export function mediaTypeOf(head: Buffer, fileName: string, declared: string | undefined): MediaType | null {
  const [, extension = ''] = /\.([A-Za-z]+)$/.exec(fileName) ?? [];
  const named = EXTENSIONS[extension.toLowerCase()];
  const pdfAt = head.indexOf(PDF);
  // Readers take what stands before it for rubbish; a text that speaks of it is a text.
  if (pdfAt === 0 || (pdfAt > 0 && named === undefined)) return 'application/pdf';
  const isArchive = [...ZIP, OLE].some((magic) => head.subarray(0, magic.length).equals(magic));
  const byType = TYPES[declared?.split(';', 1)[0]!.trim().toLowerCase() ?? ''];
  const told = named ?? byType ?? null;
  // A file that claims to be a PDF or a DOCX is looked into later, and fails with a reason if it is none.
  if (!isArchive) return told;
  return told === DOCX || told === 'application/pdf' ? told : null;
}
