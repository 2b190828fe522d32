import { simpleParser } from 'mailparser';
import { ExtractionError } from '../../../tables/extraction-error';
import { type ReadingOutput } from '../format-reader';
import { readHtml } from '../html';
import { decodeText, detectEncoding } from '../text/character-encoding';

const ZIP = Buffer.from('PK\x03\x04', 'latin1');
const HTML =
  /^[\s\ufeff]*(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype|\?xml|html|head|body|meta|title|style|div|table|p|h[1-6]|span|ul|ol)[\s>]/i;
const MIME = /^(?:[\w-]+:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*)+\r?\n/;
const MIME_VERSION = /^(?:MIME-Version|Content-Type):/im;
/** Headers of MHTML are shorter. */
const HEAD_BYTES = 8 * 1024;
/** Marks decoded text as UTF-8 whatever its declaration says. */
const BYTE_ORDER_MARK = '\ufeff';
const MAIL_OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipImageLinks: true,
  skipTextLinks: true,
};

/**
 * Writes the part of another format that a document includes by `w:altChunk`: HTML, MHTML, plain text or DOCX. Its format is told
 * by its first bytes, because converters declare it wrongly. Without `readDocument` a DOCX is left out.
 */
export async function readChunk(
  bytes: Buffer,
  part: string,
  output: ReadingOutput,
  readDocument: ((bytes: Buffer) => Promise<void>) | undefined,
): Promise<void> {
  if (bytes.subarray(0, ZIP.length).equals(ZIP)) {
    if (readDocument) return readDocument(bytes);
    return output.omissions.add('embedded_file');
  }
  const head = bytes.subarray(0, HEAD_BYTES).toString('latin1');
  const headers = MIME.exec(head)?.[0];
  if (headers !== undefined && MIME_VERSION.test(headers)) return readMhtml(bytes, output);
  if (HTML.test(head) || /\.x?html?$/i.test(part)) return readHtml(bytes, output);
  if (/\.rtf$/i.test(part) || head.startsWith('{\\rtf')) return output.omissions.add('embedded_file');
  for (const { text } of decodeText(bytes, detectEncoding(bytes, false))) output.writer.verbatim(text);
}

async function readMhtml(bytes: Buffer, output: ReadingOutput): Promise<void> {
  const { html, text, attachments } = await simpleParser(bytes, MAIL_OPTIONS).catch(() => {
    throw new ExtractionError('corrupt', 'A part of the document is no readable MHTML.');
  });
  if (html) readHtml(Buffer.from(BYTE_ORDER_MARK + html), output);
  else if (text) output.writer.verbatim(text);
  else output.omissions.add('missing_part');
  output.omissions.add(
    'embedded_file',
    attachments.filter(({ contentType }) => !contentType.startsWith('image/')).length,
  );
}
