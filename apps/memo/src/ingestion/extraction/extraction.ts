import { DOCX, type MediaType } from '../../tables/media-type';
import { readDocx } from './docx/docx';
import { readHtml } from './html';
import { readMarkdown } from './markdown';
import { readPdf } from './pdf/pdf';
import { decodeText, detectEncoding } from './text/character-encoding';
import { ExtractionError } from '../../tables/extraction-error';
import { type OnProgress } from './text/progress';
import { TextSink } from './text/text-sink';
import { TextWriter } from './text/text-writer';

const PDF = Buffer.from('%PDF-');
const ZIP = [Buffer.from('PK\x03\x04', 'latin1'), Buffer.from('PK\x05\x06', 'latin1')];
const OLE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');
/** PDF readers accept a header within the first 1,024 bytes. */
const PDF_HEADER_WITHIN_BYTES = 1_024;

/**
 * Checks the first bytes, so that a file with the wrong extension fails with a clear message before a parser reads
 * it.
 */
function checkSignature(bytes: Uint8Array, mediaType: MediaType): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isPdf = file.subarray(0, PDF_HEADER_WITHIN_BYTES).includes(PDF);
  const isZip = ZIP.some((magic) => file.subarray(0, magic.length).equals(magic));
  if (file.subarray(0, OLE.length).equals(OLE)) {
    // Office stores an encrypted DOCX in an OLE file; other OLE files are in the formats of Office 97.
    if (file.includes(ENCRYPTED_PACKAGE))
      throw new ExtractionError('encrypted', 'The document is protected by a password.');
    throw new ExtractionError('unsupported', 'This is an old Office file (such as .doc); save it as .docx.');
  }
  if (mediaType === 'application/pdf') {
    if (!isPdf) throw new ExtractionError('corrupt', 'The file is not a PDF, or its beginning is missing.');
  } else if (mediaType === DOCX) {
    if (!isZip) throw new ExtractionError('corrupt', 'The file is not a DOCX, or its beginning is missing.');
  } else if (isZip) {
    throw new ExtractionError('unsupported', 'The file is a ZIP or Office file, not text.');
  }
}

// PostgreSQL refuses U+0000; no reader shows the others.
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b-\u001f]+/g;
const LINE_ENDS = /\r\n?/g;

/** Passes the text on unchanged, except for control characters, which are removed, and line ends, which become LF. */
function readPlainText(bytes: Uint8Array, sink: TextSink, onProgress: OnProgress): void {
  // A CR at the end of a part may belong to an LF at the start of the next part.
  let carriageReturn = '';
  for (const { text, processed } of decodeText(bytes, detectEncoding(bytes, false))) {
    const whole = carriageReturn + text;
    carriageReturn = processed < bytes.length && whole.endsWith('\r') ? '\r' : '';
    sink.put(verbatim(whole.slice(0, whole.length - carriageReturn.length)));
    onProgress(processed, bytes.length);
  }
}

function verbatim(text: string): string {
  return text.replace(LINE_ENDS, '\n').replace(CONTROLS, '').toWellFormed();
}

export interface Source {
  bytes: Uint8Array;
  mediaType: MediaType;
}

export interface Extraction {
  /** UTF-16 code units. */
  maxCharacters: number;
  /** Receives the text in pieces and in order: well-formed UTF-16, lines end with LF, no NUL. */
  onText: (piece: string) => void;
  /** Called after the text of the counted part. */
  onProgress: OnProgress;
}

const NO_TEXT: Partial<Record<MediaType, string>> = {
  'application/pdf': 'The PDF holds no text; scanned pages need text recognition (OCR) first.',
};

/**
 * Extracts the text of a document. Throws an ExtractionError if the document is at fault; other errors are defects of
 * the service.
 */
export async function extract({ bytes, mediaType }: Source, options: Extraction): Promise<void> {
  const sink = new TextSink(options.maxCharacters, options.onText);
  if (bytes.length === 0) throw new ExtractionError('empty', 'The file is empty.');
  checkSignature(bytes, mediaType);
  if (mediaType === 'text/plain') readPlainText(bytes, sink, options.onProgress);
  else await extractFormatted({ bytes, mediaType }, new TextWriter(sink), options.onProgress);
  if (!sink.isReadable)
    throw new ExtractionError('empty', NO_TEXT[mediaType] ?? 'The document holds no text.');
}

async function extractFormatted(
  { bytes, mediaType }: Source,
  writer: TextWriter,
  report: OnProgress,
): Promise<void> {
  const onProgress: OnProgress = (processed, total) => {
    writer.flush();
    report(processed, total);
  };
  if (mediaType === 'text/markdown') readMarkdown(bytes, writer, onProgress);
  if (mediaType === 'text/html') readHtml(bytes, writer, onProgress);
  if (mediaType === DOCX) await readDocx(bytes, writer, onProgress);
  if (mediaType === 'application/pdf') await readPdf(bytes, writer, onProgress);
  writer.flush();
}
