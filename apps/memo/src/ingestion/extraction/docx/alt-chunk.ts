import { DOCX, shownContainer } from '../../../tables/media-type';
import { MAX_INNER_DOCUMENTS, type ReadingOutput } from '../format-reader';
import { readHtml } from '../html';
import { parseMail, writeBody } from '../mail/eml';
import { readRtf } from '../rtf';
import { decodeText, detectEncoding } from '../text/character-encoding';

const HTML =
  /^[\s\ufeff]*(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype|\?xml|html|head|body|meta|title|style|div|table|p|h[1-6]|span|ul|ol)[\s>]/i;
const MIME = /^(?:[\w-]+:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*)+\r?\n/;
const MIME_VERSION = /^(?:MIME-Version|Content-Type):/im;
/** Headers of MHTML are shorter. */
const HEAD_BYTES = 8 * 1024;

/**
 * Writes the part of another format that a document includes by `w:altChunk`: HTML, MHTML, plain text or DOCX. Its format is told
 * by its first bytes, because converters declare it wrongly.
 */
export async function readChunk(bytes: Buffer, part: string, output: ReadingOutput): Promise<void> {
  if (shownContainer(bytes) === 'zip') {
    if (output.level <= MAX_INNER_DOCUMENTS) return output.readInner(bytes, DOCX, output);
    return output.omissions.add('embedded_file');
  }
  const head = bytes.subarray(0, HEAD_BYTES).toString('latin1');
  const headers = MIME.exec(head)?.[0];
  if (headers !== undefined && MIME_VERSION.test(headers)) return readMhtml(bytes, output);
  if (HTML.test(head) || /\.x?html?$/i.test(part)) return readHtml(bytes, output);
  if (head.startsWith('{\\rtf')) return readRtf(bytes, output);
  for (const { text } of decodeText(bytes, detectEncoding(bytes, false))) output.writer.verbatim(text);
}

async function readMhtml(bytes: Buffer, output: ReadingOutput): Promise<void> {
  const mail = await parseMail(bytes);
  if (!writeBody(mail, output)) output.omissions.add('missing_part');
  const files = mail.attachments.filter(({ contentType }) => !contentType.startsWith('image/'));
  output.omissions.add('embedded_file', files.length);
}
