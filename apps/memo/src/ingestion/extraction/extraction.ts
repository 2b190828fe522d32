import {
  containerOf,
  DOCX,
  EPUB,
  type MediaType,
  MSG,
  nameOf,
  ODT,
  PPTX,
  shownContainer,
  XLSX,
} from '../../tables/media-type';
import { readCsv } from './csv';
import { readDocx } from './docx/docx';
import { readHtml } from './html';
import { readMarkdown } from './markdown';
import { readEml } from './mail/eml';
import { readMsg } from './mail/msg';
import { readEpub } from './office/epub';
import { readOdt } from './office/odt';
import { readPptx } from './office/pptx';
import { readXlsx } from './office/xlsx';
import { readPdf } from './pdf/pdf';
import { readRtf } from './rtf';
import { decodeText, detectEncoding } from './text/character-encoding';
import { ExtractionError } from '../../tables/extraction-error';
import { type OnProgress, TextSink } from './text/text-sink';
import { finishedPart, verbatimText } from './text/characters';
import { TextEscapes } from './text/text-escapes';
import { TextWriter } from './text/text-writer';
import { type Omission, Omissions } from '../../tables/omission';
import { type FormatReader, type ReadingOutput } from './format-reader';

const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');

/**
 * Checks the first bytes, so that a file with the wrong extension fails with a clear message before a parser reads
 * it.
 */
function checkSignature(bytes: Uint8Array, mediaType: MediaType): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const [expected, shown] = [containerOf(mediaType), shownContainer(file)];
  if (shown === expected) return;
  if (shown === 'ole') {
    // Office stores an encrypted document in an OLE file; other OLE files are in the formats of Office 97.
    if (file.includes(ENCRYPTED_PACKAGE))
      throw new ExtractionError('encrypted', 'The document is protected by a password.');
    throw new ExtractionError(
      'unsupported',
      'This is an old Office file (such as .doc); save it as .docx, .xlsx or .pptx.',
    );
  }
  if (expected !== 'text')
    throw new ExtractionError(
      'corrupt',
      `The file is not a ${nameOf(mediaType)}, or its beginning is missing.`,
    );
  if (shown === 'zip')
    throw new ExtractionError('unsupported', 'The file is a ZIP or Office file, not text.');
}

/** The text of a file without the escapes of its format. */
function* plainText(bytes: Uint8Array): ReturnType<typeof decodeText> {
  const escapes = new TextEscapes();
  for (const { text, processed } of decodeText(bytes, detectEncoding(bytes, false)))
    yield { text: escapes.read(text, processed === bytes.length), processed };
}

/** Passes the text on unchanged, except for control characters, which are removed, and line ends, which become LF. */
function readPlainText(bytes: Uint8Array, sink: TextSink, onProgress: OnProgress): void {
  let rest = '';
  for (const { text, processed } of plainText(bytes)) {
    const whole = rest + text;
    const finished = processed < bytes.length ? finishedPart(whole) : whole;
    rest = whole.slice(finished.length);
    sink.put(verbatimText(finished));
    onProgress(processed, bytes.length);
  }
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

const READERS: Record<Exclude<MediaType, 'text/plain'>, FormatReader> = {
  'text/markdown': readMarkdown,
  'text/html': readHtml,
  'application/pdf': readPdf,
  [DOCX]: readDocx,
  [XLSX]: readXlsx,
  [PPTX]: readPptx,
  [ODT]: readOdt,
  [EPUB]: readEpub,
  'text/csv': readCsv,
  'application/rtf': readRtf,
  'message/rfc822': readEml,
  [MSG]: readMsg,
};

/** Writes the text of a file inside of another one. */
async function readInner(bytes: Uint8Array, mediaType: MediaType, output: ReadingOutput): Promise<void> {
  if (bytes.length === 0) throw new ExtractionError('empty', 'The file is empty.');
  checkSignature(bytes, mediaType);
  if (mediaType !== 'text/plain') return READERS[mediaType](bytes, output);
  for (const { text } of plainText(bytes)) output.writer.verbatim(text);
}

const NO_TEXT: Partial<Record<MediaType, string>> = {
  'application/pdf': 'The PDF holds no text; scanned pages need text recognition (OCR) first.',
};

/** What is known about a text besides its characters. */
export interface Reading {
  omissions: Omission[];
  /** Offsets in the text at which the pages begin, of a format with pages. */
  pageStarts: number[];
}

/**
 * Extracts the text of a document. Throws an ExtractionError if the document is at fault; other errors are defects of
 * the service.
 */
export async function extract({ bytes, mediaType }: Source, options: Extraction): Promise<Reading> {
  const sink = new TextSink(options.maxCharacters, options.onText);
  const omissions = new Omissions();
  const pageStarts: number[] = [];
  if (bytes.length === 0) throw new ExtractionError('empty', 'The file is empty.');
  checkSignature(bytes, mediaType);
  if (mediaType === 'text/plain') readPlainText(bytes, sink, options.onProgress);
  else {
    const writer = new TextWriter(sink);
    const onProgress: OnProgress = (processed, total) => {
      writer.flush();
      options.onProgress(processed, total);
    };
    await READERS[mediaType](bytes, { writer, omissions, pageStarts, onProgress, level: 0, readInner });
    writer.flush();
  }
  if (!sink.isReadable)
    throw new ExtractionError('empty', NO_TEXT[mediaType] ?? 'The document holds no text.');
  return { omissions: omissions.list(), pageStarts };
}
