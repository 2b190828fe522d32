import MsgReader, { type FieldsData } from '@kenjiuno/msgreader';
import { decompressRTF } from '@kenjiuno/decompressrtf';
import { ExtractionError } from '../../../tables/extraction-error';
import { innerOutput, MAX_INNER_DOCUMENTS, type ReadingOutput } from '../format-reader';
import { readDamaged } from '../package/damage';
import { decodeText, detectEncoding } from '../text/character-encoding';
import { encodingOfCodePage } from '../text/decoders';
import { readRtf } from '../rtf';
import { writeAttachment, writeBody, writeHead } from './eml';

const WINDOWS_CODE_PAGE = /^(?:874|932|936|949|950|125[0-8])$/;

const NUMBER_BYTES = 4;
const SECTOR_BYTES = 512;
const LARGE_SECTOR_BYTES = 4096;
/** Offsets in the header of MS-CFB. */
const SECTOR_SHIFT_AT = 30;
const TABLES_AT = 44;
const DIRECTORY_AT = 48;
const FIRST_TABLE_AT = 76;
/** Of seven mebibytes of content; more are listed elsewhere. */
const MAX_TABLES_IN_HEADER = 109;

/** Reads a mail of Outlook (MS-OXMSG): what its head says, its body, and its attachments. */
export function readMsg(bytes: Uint8Array, output: ReadingOutput): Promise<void> {
  return readDamaged(async () => {
    refuseLoop(bytes);
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

/**
 * Refuses a file whose directory is a chain of sectors that comes back to itself, as after a few lost bytes: the library would follow it
 * until the limit of time. The chain is that of MS-CFB, through the sector numbers of the header.
 */
function refuseLoop(bytes: Uint8Array): void {
  if (bytes.length < SECTOR_BYTES) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sectorBytes =
    1 << view.getUint8(SECTOR_SHIFT_AT) === LARGE_SECTOR_BYTES ? LARGE_SECTOR_BYTES : SECTOR_BYTES;
  const numbersInSector = sectorBytes / NUMBER_BYTES;
  const tables = Math.min(view.getInt32(TABLES_AT, true), MAX_TABLES_IN_HEADER);
  const seen = new Set<number>();
  let sector = view.getInt32(DIRECTORY_AT, true);
  // Other numbers end the chain, or are outside of the tables.
  while (sector >= 0 && sector < tables * numbersInSector) {
    if (seen.has(sector))
      throw new ExtractionError('corrupt', 'The document is damaged: its directory has no end.');
    seen.add(sector);
    const table = view.getInt32(FIRST_TABLE_AT + Math.floor(sector / numbersInSector) * NUMBER_BYTES, true);
    const at = (table + 1) * sectorBytes + (sector % numbersInSector) * NUMBER_BYTES;
    if (at < 0 || at + NUMBER_BYTES > bytes.length) return;
    sector = view.getInt32(at, true);
  }
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
  private writeBody({ html, bodyHtml, body, compressedRtf, internetCodepage = 0 }: FieldsData): void {
    const { output } = this;
    const page = bodyHtml ?? (html && decoded(html, encodingOfCodePage(internetCodepage)));
    if (writeBody({ html: page, text: body }, output) || !compressedRtf) return;
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

/** @param encoding of the code page of the mail */
function decoded(html: Uint8Array, encoding: string | undefined): string {
  let text = '';
  for (const slice of decodeText(html, detectEncoding(html, true, encoding))) text += slice.text;
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
