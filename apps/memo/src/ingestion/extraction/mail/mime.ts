import { isUtf8 } from 'node:buffer';
import { Transform, type TransformCallback } from 'node:stream';
import { type Headers, MailParser, type MailParserOptions } from 'mailparser';
import { ExtractionError } from '../../../tables/extraction-error';
import { decodeText, decodeWhole, encodingOfPart } from '../text/character-encoding';

export interface MailAttachment {
  filename?: string;
  contentType: string;
  content: Buffer;
  /** Whether the body shows it. */
  related?: boolean;
}

export interface Mail {
  headers: Headers;
  html?: string;
  text?: string;
  attachments: MailAttachment[];
  /** How many texts are left out because their encoding cannot be told. */
  unreadable: number;
}

/** The text of an HTML body is extracted elsewhere, with its hidden parts left out. */
const OPTIONS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipImageLinks: true,
  skipTextLinks: true,
};
const ALTERNATIVE = /^content-type:\s*multipart\/alternative/im;
const TEXT_PART = /^content-type:\s*text\/(?:plain|html)/gim;

/** Whether there may be more parts of text than the two forms of one body. */
function mayMixParts(bytes: Buffer): boolean {
  const source = bytes.toString('latin1');
  return !ALTERNATIVE.test(source) || (source.match(TEXT_PART)?.length ?? 0) > 2;
}

/**
 * Parses MIME. Throws `corrupt` if it is none, and `unsupported` if it has texts and the encoding of none can be told.
 * Plain parts beside HTML ones, rather than instead of them, are in the HTML.
 */
export async function parseMail(bytes: Buffer): Promise<Mail> {
  try {
    const mail = await parse(bytes, OPTIONS);
    if (mail.unreadable > 0 && !mail.html?.trim() && !mail.text?.trim()) throw unreadable();
    const hasBothForms = mail.html && mail.text;
    if (!hasBothForms && mail.unreadable === 0) return mail;
    // Of two forms of one body the other one is read.
    if (!mayMixParts(bytes)) return { ...mail, unreadable: 0 };
    if (!hasBothForms) return mail;
    return await parse(bytes, { ...OPTIONS, skipTextToHtml: false });
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw new ExtractionError('corrupt', 'The mail is damaged.');
  }
}

const unreadable = (): ExtractionError =>
  new ExtractionError(
    'unsupported',
    'The encoding of the mail cannot be recognised; send its text as UTF-8.',
  );

/** What the parser gives for an attachment. It goes on after `release`. */
interface AttachmentEvent extends Omit<MailAttachment, 'content'> {
  type: 'attachment';
  content: AsyncIterable<Buffer>;
  release(): void;
}
type ParserEvent = AttachmentEvent | { type: 'text'; html?: string; text?: string };

function parse(bytes: Buffer, options: MailParserOptions): Promise<Mail> {
  const mail: Mail = { headers: new Map(), attachments: [], unreadable: 0 };
  const parser = new BodyParser(options, () => mail.unreadable++);
  return new Promise((resolve, reject) => {
    parser.on('error', reject);
    parser.on('headers', (headers: Headers) => {
      mail.headers = headers;
    });
    parser.on('data', (event: ParserEvent) => {
      if (event.type === 'text') Object.assign(mail, { html: event.html, text: event.text });
      else keep(event, mail).catch(reject);
    });
    parser.on('end', () => resolve(mail));
    parser.end(bytes);
  });
}

async function keep(attachment: AttachmentEvent, { attachments }: Mail): Promise<void> {
  const { filename, contentType, related, content, release } = attachment;
  const kept: MailAttachment = { filename, contentType, related, content: Buffer.alloc(0) };
  attachments.push(kept);
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(piece);
  kept.content = Buffer.concat(pieces);
  release();
}

/** A part of a mail, as the parser sees it. */
interface Part {
  contentType: string | false;
  charset?: string;
  isAttachment?: boolean;
  decoder?: unknown;
}

/** A line of a head; each character is a byte. */
interface HeadLine {
  key: string;
  line: string;
}

interface Internals {
  createNode(node: { charset?: string | false }): Part;
  processHeaders(lines: HeadLine[]): Headers;
}

const Parser = MailParser as unknown as new (options: MailParserOptions) => MailParser & Internals;
const HTML = 'text/html';

/** Reads text whose encoding no header names as a file of its kind; the parser itself takes it for UTF-8. */
class BodyParser extends Parser {
  private charset = '';

  constructor(
    options: MailParserOptions,
    private readonly onUnreadable: () => void,
  ) {
    super(options);
  }

  /** Names an encoding for each text, so that the parser leaves its decoding to `getDecoder`. */
  override createNode(node: { charset?: string | false }): Part {
    this.charset = node.charset || '';
    const part = super.createNode(node);
    if (part.decoder && !part.isAttachment) part.charset = `${part.contentType || ''} ${part.charset ?? ''}`;
    return part;
  }

  /** The bytes of a head are in UTF-8 (RFC 6532), or, in old mails, in the encoding of its text. */
  override processHeaders(lines: HeadLine[]): Headers {
    const bytes = Buffer.from(lines.map(({ line }) => line).join('\n'), 'latin1');
    return super.processHeaders(isUtf8(bytes) ? lines : inUtf8(lines, bytes, this.charset));
  }

  getDecoder() {
    return {
      decodeStream: (named: string): Transform => {
        const [type, ...label] = named.split(' ');
        return new BodyDecoder(label.join(' '), type === HTML, this.onUnreadable);
      },
    };
  }
}

/** The lines, whose bytes are as they were if their encoding cannot be told. */
function inUtf8(lines: HeadLine[], bytes: Buffer, charset: string): HeadLine[] {
  try {
    const encoding = encodingOfPart(bytes, charset, false);
    return lines.map(({ key, line }) => {
      const text = decodeWhole(Buffer.from(line, 'latin1'), encoding);
      return { key, line: Buffer.from(text).toString('latin1') };
    });
  } catch {
    return lines;
  }
}

/** Decodes the bytes of a text when all of them are there. One whose encoding cannot be told is left out. */
class BodyDecoder extends Transform {
  private readonly pieces: Buffer[] = [];

  constructor(
    private readonly label: string,
    private readonly isHtml: boolean,
    private readonly onUnreadable: () => void,
  ) {
    super();
  }

  override _transform(piece: Buffer | string, encoding: BufferEncoding, done: TransformCallback): void {
    this.pieces.push(typeof piece === 'string' ? Buffer.from(piece, encoding) : piece);
    done();
  }

  override _flush(done: TransformCallback): void {
    const bytes = Buffer.concat(this.pieces);
    try {
      for (const { text } of decodeText(bytes, encodingOfPart(bytes, this.label, this.isHtml)))
        this.push(text);
    } catch (error) {
      if (!(error instanceof ExtractionError)) return done(error as Error);
      this.onUnreadable();
    }
    done();
  }
}
