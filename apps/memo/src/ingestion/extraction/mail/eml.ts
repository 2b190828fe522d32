import { type AddressObject, type ParsedMail, simpleParser } from 'mailparser';
import { ExtractionError } from '../../../tables/extraction-error';
import { detectMediaType, SIGNATURE_BYTES } from '../../../tables/media-type';
import { innerOutput, MAX_INNER_DOCUMENTS, type ReadingOutput } from '../format-reader';
import { readHtml } from '../html';
import { CapturedText } from '../text/text-writer';

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
/** The text of an HTML body is extracted here, with its hidden parts left out. */
const OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipImageLinks: true,
  skipTextLinks: true,
};
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
  writeHead(output, [
    ['Subject', mail.subject],
    ['From', mail.from?.text],
    ['To', addresses(mail.to)],
    ['Cc', addresses(mail.cc)],
    ['Date', mail.date?.toISOString()],
  ]);
  writeBody(mail, output);
  for (const { filename = '', contentType, content, related } of mail.attachments) {
    if (related && contentType.startsWith('image/')) output.omissions.add('picture');
    else await writeAttachment({ name: filename, type: contentType, bytes: content }, output);
  }
  output.onProgress(bytes.length, bytes.length);
}

/** Parses MIME. Throws `corrupt` if it is none. Plain parts beside HTML ones, rather than instead of them, are in the HTML. */
export async function parseMail(bytes: Buffer): Promise<ParsedMail> {
  try {
    const mail = await simpleParser(bytes, OPTIONS);
    if (!mail.html || !mail.text || !mayMixParts(bytes)) return mail;
    return await simpleParser(bytes, { ...OPTIONS, skipTextToHtml: false });
  } catch {
    throw new ExtractionError('corrupt', 'The mail is damaged.');
  }
}

const ALTERNATIVE = /^content-type:\s*multipart\/alternative/im;
const TEXT_PART = /^content-type:\s*text\/(?:plain|html)/gim;

/** Whether there may be more parts of text than the two forms of one body. */
function mayMixParts(bytes: Buffer): boolean {
  const source = bytes.toString('latin1');
  return !ALTERNATIVE.test(source) || (source.match(TEXT_PART)?.length ?? 0) > 2;
}

/** Writes the HTML body of a mail, or else the plain one. Returns whether there is a body. */
export function writeBody({ html, text }: Pick<ParsedMail, 'html' | 'text'>, output: ReadingOutput): boolean {
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
