import { type AddressObject } from 'mailparser';
import { ExtractionError } from '../../../tables/extraction-error';
import { detectMediaType, SIGNATURE_BYTES } from '../../../tables/media-type';
import { innerOutput, MAX_INNER_DOCUMENTS, type ReadingOutput } from '../format-reader';
import { readHtml } from '../html';
import { CapturedText } from '../text/text-writer';
import { type Mail, parseMail } from './mime';

interface Attachment {
  /** File name; empty without one. */
  name: string;
  /** The declared media type. */
  type: string | undefined;
  bytes: Buffer;
}

/** Faults of an attachment beside which the mail is still worth reading. */
const LEFT_OUT = new Set(['empty', 'corrupt', 'encrypted', 'unsupported']);

/** Writes the name of an attachment and its text. One that cannot be read is counted as left out. */
export async function writeAttachment(
  { name, type, bytes }: Attachment,
  output: ReadingOutput,
): Promise<void> {
  const { writer, omissions } = output;
  const mediaType = detectMediaType(bytes.subarray(0, SIGNATURE_BYTES), name, type);
  writer.block();
  if (name !== '') writer.flow(name);
  if (mediaType === null || output.level >= MAX_INNER_DOCUMENTS)
    return omissions.add(type?.startsWith('image/') ? 'picture' : 'embedded_file');
  const captured = new CapturedText(writer);
  try {
    await output.readInner(new Uint8Array(bytes), mediaType, innerOutput(output, captured.writer));
  } catch (error) {
    if (!(error instanceof ExtractionError) || !LEFT_OUT.has(error.code)) throw error;
    return omissions.add('embedded_file');
  }
  writer.block();
  writer.verbatim(captured.take());
}

/** Marks decoded text as UTF-8 whatever its declaration says. */
const BYTE_ORDER_MARK = '\ufeff';
/** The fields of a mail's head that people look for, as RFC 5322 names them. */
const FIELD = /^(?:From|To|Cc|Date|Subject|Sender|Received|MIME-Version|Message-ID|Return-Path):/im;
const HEAD_BYTES = 64 * 1024;

/** Reads a mail (RFC 5322, MIME): what its head says, its body, and its attachments. */
export async function readEml(bytes: Uint8Array, output: ReadingOutput): Promise<void> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (
    !FIELD.test(
      file
        .subarray(0, HEAD_BYTES)
        .toString('latin1')
        .split(/\r?\n\r?\n/, 1)[0]!,
    )
  )
    throw new ExtractionError('corrupt', 'The file is not a mail, or its head is missing.');
  const mail = await parseMail(file);
  const field = <T>(name: string): T | undefined => mail.headers.get(name) as T | undefined;
  writeHead(output, [
    ['Subject', field<string>('subject')],
    ['From', field<AddressObject>('from')?.text],
    ['To', addresses(field('to'))],
    ['Cc', addresses(field('cc'))],
    ['Date', field<Date>('date')?.toISOString()],
  ]);
  writeBody(mail, output);
  output.omissions.add('unreadable_part', mail.unreadable);
  for (const { filename = '', contentType, content, related } of mail.attachments) {
    if (related && contentType.startsWith('image/')) output.omissions.add('picture');
    else await writeAttachment({ name: filename, type: contentType, bytes: content }, output);
  }
  output.onProgress(bytes.length, bytes.length);
}

/** Writes the HTML body of a mail, or else the plain one. Returns whether there is a body. */
export function writeBody({ html, text }: Pick<Mail, 'html' | 'text'>, output: ReadingOutput): boolean {
  const { writer } = output;
  const { length } = writer;
  if (html) readHtml(Buffer.from(BYTE_ORDER_MARK + html), { ...output, onProgress: () => undefined });
  if (text && writer.length === length) writer.verbatim(text);
  return Boolean(html || text);
}

/** Writes one line for each field that a mail has, and a blank line. */
export function writeHead(
  { writer }: ReadingOutput,
  fields: [name: string, value: string | undefined][],
): void {
  for (const [name, value] of fields) {
    if (!value) continue;
    writer.flow(`${name}: ${value}`);
    writer.line();
  }
  writer.block();
}

const addresses = (to: AddressObject | AddressObject[] | undefined): string =>
  [to ?? []]
    .flat()
    .map(({ text }) => text)
    .join(', ');
