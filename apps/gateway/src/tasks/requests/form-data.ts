import { InvalidFormError, InvalidValueError } from '../../proxy/request/request.errors';

/** A part of a form: where its content is in the body. */
export interface FormPart {
  name: string;
  isFile: boolean;
  start: number;
  end: number;
}

/** Chosen: a form of OpenAI's API has some ten parts. */
const MOST_PARTS = 64;
const MOST_HEADER_BYTES = 4_096;
/** Chosen: a hundred times the prompt that a model of speech reads. */
const MOST_TEXT_BYTES = 65_536;
const CRLF = '\r\n';
const END_OF_HEADERS = Buffer.from('\r\n\r\n');

const TYPE = /^multipart\/form-data\s*;/i;
/** RFC 2046, 5.1.1, with and without quotes. Beside it only a charset: a parser could find another boundary in other parameters. */
const BOUNDARY =
  /^multipart\/form-data\s*;\s*boundary=(?:"([^"\\\r\n]{1,70})"|([\w'()+,./:=?-]{1,70}))\s*(?:;\s*charset=[\w-]+\s*)?$/i;
/** The name comes first, as every client writes it. A file may have its name in both forms (RFC 7578, 4.2). */
const DISPOSITION =
  /^content-disposition:[ \t]*form-data[ \t]*;[ \t]*name="([^"\\\r\n]*)"((?:[ \t]*;[ \t]*filename\*?=(?:"(?:[^"\\\r\n]|\\.)*"|[^\s";]+))*)[ \t]*$/i;

/** Whether a content type is that of a form. */
export const isForm = (contentType: string): boolean => TYPE.test(contentType);

/** What stands between the parts. Throws InvalidFormError. */
function dashesOf(contentType: string): Buffer {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined)
    throw new InvalidFormError('The content type must have a boundary and nothing else.');
  return Buffer.from(`--${boundary}`, 'latin1');
}

/** What is the same in a form that can be read, whatever its boundary: a client that sends it again chooses another one. */
export function* withoutBoundary(body: Buffer, contentType: string): Iterable<Buffer> {
  const dashes = dashesOf(contentType);
  for (let start = 0; start < body.length;) {
    const next = body.indexOf(dashes, start);
    const end = next === -1 ? body.length : next;
    // The length says where a part ends.
    yield Buffer.from(`${end - start} `);
    yield body.subarray(start, end);
    start = end + dashes.length;
  }
}

/**
 * Reads the parts of a form. A server reads the same bytes with another parser, so a body is refused that two parsers could read
 * differently: a boundary that stands anywhere but between two parts, text around the parts, and headers in other than the usual form.
 * Throws InvalidFormError.
 */
export function readForm(body: Buffer, contentType: string): FormPart[] {
  const dashes = dashesOf(contentType);
  if (body.indexOf(dashes) !== 0) throw new InvalidFormError('The body does not begin with the boundary.');
  const parts: FormPart[] = [];
  for (let at = 0; ;) {
    const behind = at + dashes.length;
    if (body.toString('latin1', behind, behind + 2) === '--') {
      const rest = body.toString('latin1', behind + 2, behind + 2 + CRLF.length + 1);
      if (rest !== '' && rest !== CRLF) throw new InvalidFormError('There is text behind the last part.');
      return parts;
    }
    if (body.toString('latin1', behind, behind + 2) !== CRLF)
      throw new InvalidFormError('A part contains the boundary.');
    const end = body.indexOf(dashes, behind);
    if (end === -1) throw new InvalidFormError('The last part does not end.');
    if (body.toString('latin1', end - 2, end) !== CRLF)
      throw new InvalidFormError('A part contains the boundary.');
    if (parts.length === MOST_PARTS) throw new InvalidFormError(`There are more than ${MOST_PARTS} parts.`);
    parts.push(readPart(body, behind + 2, end - 2));
    at = end;
  }
}

function readPart(body: Buffer, start: number, end: number): FormPart {
  const headersEnd = body.subarray(start, Math.min(end, start + MOST_HEADER_BYTES)).indexOf(END_OF_HEADERS);
  if (headersEnd === -1) throw new InvalidFormError('A part has no headers that can be read.');
  const lines = body.toString('utf8', start, start + headersEnd).split(CRLF);
  const dispositions = lines.filter((line) => /^content-disposition/i.test(line));
  const [, name, file] = DISPOSITION.exec(dispositions[0] ?? '') ?? [];
  const isPlain = dispositions.length === 1 && lines.every((line) => /^[\w-]+:[^\r\n]*$/.test(line));
  if (name === undefined || !isPlain || lines.some((line) => /^content-transfer-encoding:/i.test(line)))
    throw new InvalidFormError('A part has headers that cannot be read.');
  return { name, isFile: file !== '', start: start + headersEnd + END_OF_HEADERS.length, end };
}

/** The texts and files of a form, of which the gateway reads some by their name. */
export class Form {
  /** @param binding fields that may be given once and in no other case */
  constructor(
    readonly body: Buffer,
    private readonly parts: readonly FormPart[],
    binding: readonly string[],
  ) {
    for (const name of binding) {
      const same = parts.filter((part) => part.name.toLowerCase() === name);
      if (same.length > 1) throw new InvalidValueError({ path: name, message: 'must be given once' });
      if (same.some((part) => part.name !== name))
        throw new InvalidValueError({ path: same[0]!.name, message: `must be written ${name}` });
    }
  }

  /** Undefined if the form has no such text. */
  text(name: string): string | undefined {
    const part = this.parts.find((one) => one.name === name && !one.isFile);
    if (!part) return undefined;
    if (part.end - part.start > MOST_TEXT_BYTES)
      throw new InvalidValueError({ path: name, message: `must have at most ${MOST_TEXT_BYTES} bytes` });
    return this.body.toString('utf8', part.start, part.end);
  }

  /** Undefined if the form has no such file. */
  file(name: string): Buffer | undefined {
    const part = this.parts.find((one) => one.name === name && one.isFile);
    return part && this.body.subarray(part.start, part.end);
  }

  /** The bytes of the form with another content of one part. */
  with(name: string, text: string): Buffer {
    const { start, end } = this.parts.find((part) => part.name === name)!;
    return Buffer.concat([this.body.subarray(0, start), Buffer.from(text), this.body.subarray(end)]);
  }
}
