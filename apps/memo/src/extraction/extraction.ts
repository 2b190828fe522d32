import { DOCX, type MediaType } from '../documents/media-type';
import { readDocx } from './docx';
import { readHtml } from './html';
import { readMarkdown } from './markdown';
import { readPdf } from './pdf';
import { readPlainText } from './plain-text';
import { ReadingError } from './reading-error';
import { checkSignature } from './signature';
import { TextSink } from './text-sink';
import { TextWriter } from './text-writer';

export interface Source {
  bytes: Uint8Array;
  mediaType: MediaType;
}

/** Pages of a PDF, bytes of everything else; of a DOCX, bytes once it is unpacked. */
export type OnProgress = (processed: number, total: number) => void;

export interface Extraction {
  /** UTF-16 code units. */
  maxCharacters: number;
  /** The text, in pieces and in its order: well-formed, lines end in newlines, no NUL. */
  onText: (piece: string) => void;
  /** Comes after the text of what is counted. */
  onProgress: OnProgress;
}

const NO_TEXT: Partial<Record<MediaType, string>> = {
  'application/pdf': 'The PDF holds no text; scanned pages need text recognition (OCR) first.',
};

/** Throws a ReadingError when the document is at fault; any other error is ours. */
export async function extract({ bytes, mediaType }: Source, options: Extraction): Promise<void> {
  const sink = new TextSink(options.maxCharacters, options.onText);
  if (bytes.length === 0) throw new ReadingError('empty', 'The file is empty.');
  checkSignature(bytes, mediaType);
  if (mediaType === 'text/plain') readPlainText(bytes, sink, options.onProgress);
  else await extractFormatted({ bytes, mediaType }, new TextWriter(sink), options.onProgress);
  if (!sink.isReadable) throw new ReadingError('empty', NO_TEXT[mediaType] ?? 'The document holds no text.');
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
