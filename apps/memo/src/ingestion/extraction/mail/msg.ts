import MsgReader, { type FieldsData } from '@kenjiuno/msgreader';
import { decompressRTF } from '@kenjiuno/decompressrtf';
import { ExtractionError } from '../../../tables/extraction-error';
import { innerOutput, MAX_INNER_DOCUMENTS, type ReadingOutput } from '../format-reader';
import { readDamaged } from '../package/damage';
import { decodeText, detectEncoding } from '../text/character-encoding';
import { readRtf } from '../rtf';
import { writeAttachment, writeBody, writeHead } from './eml';

const WINDOWS_CODE_PAGE = /^(?:874|932|936|949|950|125[0-8])$/;

/** Reads a mail of Outlook (MS-OXMSG): what its head says, its body, and its attachments. */
export function readMsg(bytes: Uint8Array, output: ReadingOutput): Promise<void> {
  return readDamaged(async () => {
    const { buffer } = bytes.slice();
    const first = new MsgReader(buffer).getFileData();
    const file = new MsgReader(buffer);
    file.parserConfig = { ansiEncoding: ansiEncodingOf(first) };
    const mail = file.getFileData();
    if (mail.error)
      throw new ExtractionError('unsupported', 'The file is an Office file of old, but not a mail.');
    await new MsgText(file, output).write(mail);
    output.onProgress(bytes.length, bytes.length);
  });
}

/** The encoding of an old mail, which stores bytes: the code page that it names, or else the one that its text tells. */
function ansiEncodingOf({
  messageCodepage,
  internetCodepage,
  subject = '',
  body = '',
}: FieldsData): string | undefined {
  const named = [messageCodepage, internetCodepage].map(String).find((page) => WINDOWS_CODE_PAGE.test(page));
  if (named !== undefined) return named;
  try {
    return detectEncoding(Buffer.from(`${subject}\n${body}`, 'latin1'), false);
  } catch {
    return undefined;
  }
}

class MsgText {
  constructor(
    private readonly file: MsgReader,
    private readonly output: ReadingOutput,
  ) {}

  async write(mail: FieldsData): Promise<void> {
    const { output } = this;
    writeHead(output, [
      ['Subject', mail.subject],
      ['From', person(mail.senderName, mail.senderSmtpAddress ?? mail.senderEmail)],
      ['To', recipients(mail, 'to')],
      ['Cc', recipients(mail, 'cc')],
      ['Date', dateOf(mail.clientSubmitTime ?? mail.messageDeliveryTime)],
    ]);
    this.writeBody(mail);
    for (const attachment of mail.attachments ?? []) await this.writeAttachment(attachment);
  }

  /** Outlook stores a body as HTML, as RTF, as plain text, or as several of them. */
  private writeBody({ html, bodyHtml, body, compressedRtf }: FieldsData): void {
    const { output } = this;
    const page = bodyHtml ?? (html && decoded(html));
    if (writeBody({ html: page ?? false, text: body }, output) || !compressedRtf) return;
    readRtf(Uint8Array.from(decompressRTF([...compressedRtf])), output);
  }

  private async writeAttachment(attachment: FieldsData): Promise<void> {
    const { output, file } = this;
    const { innerMsgContentFields: inner } = attachment;
    if (inner) {
      if (output.level >= MAX_INNER_DOCUMENTS) return output.omissions.add('embedded_file');
      output.writer.block();
      return new MsgText(file, innerOutput(output, output.writer)).write(inner);
    }
    // Pictures of the body are hidden attachments.
    if (attachment.attachmentHidden) return output.omissions.add('picture');
    const { fileName, content } = file.getAttachment(attachment);
    const { attachMimeTag: type } = attachment;
    await writeAttachment({ name: fileName, type, bytes: Buffer.from(content) }, output);
  }
}

function decoded(html: Uint8Array): string {
  let text = '';
  for (const slice of decodeText(html, detectEncoding(html, true))) text += slice.text;
  return text;
}

/** Addresses within a company's Exchange are paths, which nobody types. */
const person = (name: string | undefined, address = ''): string =>
  name && address.includes('@') && name !== address ? `${name} <${address}>` : (name ?? address);

const recipients = (mail: FieldsData, type: 'to' | 'cc'): string =>
  (mail.recipients ?? [])
    .filter(({ recipType }) => recipType === type)
    .map(({ name, smtpAddress, email }) => person(name, smtpAddress ?? email))
    .join(', ');

/** Dates come in the form of an HTTP header. */
function dateOf(sent: string | undefined): string | undefined {
  const at = new Date(sent ?? '');
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
