export const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** The formats whose text can be extracted. */
export const MEDIA_TYPES = ['text/plain', 'text/markdown', 'text/html', 'application/pdf', DOCX] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

/** Whether the file of a version is stored as long as the version is: the pages of a PDF are shown beside its passages. */
export const isFileKept = (mediaType: MediaType): boolean => mediaType === 'application/pdf';

/**
 * How many leading bytes of a file are enough to detect its format: a PDF header may start anywhere in the first
 * 1,024 bytes.
 */
export const SIGNATURE_BYTES = 1_024;

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
/** The file names that belong to a format, without the dot. */
export const extensionsOf = (mediaType: MediaType): string[] =>
  Object.keys(EXTENSIONS).filter((extension) => EXTENSIONS[extension] === mediaType);

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
/** Signatures of a ZIP archive and of an empty one. */
const ZIP = [Buffer.from('PK\x03\x04', 'latin1'), Buffer.from('PK\x05\x06', 'latin1')];
/** Signature of the container that Office uses for encrypted documents. */
const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/**
 * Detects the format by the first bytes, then by the file name, then by the declared type. Null if the text of the
 * file cannot be extracted.
 */
export function detectMediaType(
  head: Buffer,
  fileName: string,
  declared: string | undefined,
): MediaType | null {
  const [, extension = ''] = /\.([A-Za-z]+)$/.exec(fileName) ?? [];
  const named = EXTENSIONS[extension.toLowerCase()];
  const pdfAt = head.indexOf(PDF);
  // PDF readers ignore bytes before the header. A file with the extension of a text format may only mention the
  // header.
  if (pdfAt === 0 || (pdfAt > 0 && named === undefined)) return 'application/pdf';
  const isArchive = [...ZIP, OLE].some((magic) => head.subarray(0, magic.length).equals(magic));
  const byType = TYPES[declared?.split(';', 1)[0]!.trim().toLowerCase() ?? ''];
  const mediaType = named ?? byType ?? null;
  // A file with the extension .pdf or .docx and other contents is accepted here; extraction fails with the reason.
  if (!isArchive) return mediaType;
  return mediaType === DOCX || mediaType === 'application/pdf' ? mediaType : null;
}
