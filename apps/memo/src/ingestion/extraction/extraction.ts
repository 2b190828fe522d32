import { DOCX, type MediaType } from '../../documents/source-files/media-type';
import { readDocx } from './docx/docx';
import { readHtml } from './html';
import { readMarkdown } from './markdown';
import { readPdf } from './pdf/pdf';
import { readPlainText } from './plain-text';
import { ExtractionError } from './text/extraction-error';
import { checkSignature } from './file-signature';
import { type OnProgress } from './text/progress';
import { TextSink } from './text/text-sink';
import { TextWriter } from './text/text-writer';

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
