import { SaxesParser } from 'saxes';
import { errorSentence, ExtractionError } from '../../../tables/extraction-error';
import { type ZipArchive } from './zip-archive';

/** Longest run of bytes without a tag, far above what programs write. saxes collects it in memory. */
const MAX_TOKEN_BYTES = 8 * 1024 * 1024;
/** Deepest nesting of elements, far above what programs write. The parser keeps a stack. */
const MAX_DEPTH = 2_000;

/** The prefixes by which readers know attributes. A document may choose others. */
const PREFIXES = new Map([
  ['http://schemas.openxmlformats.org/wordprocessingml/2006/main', 'w'],
  ['http://purl.oclc.org/ooxml/wordprocessingml/main', 'w'],
  ['http://schemas.openxmlformats.org/officeDocument/2006/relationships', 'r'],
  ['http://purl.oclc.org/ooxml/officeDocument/relationships', 'r'],
  ...['text', 'style', 'office', 'table'].map((name): [string, string] => [
    `urn:oasis:names:tc:opendocument:xmlns:${name}:1.0`,
    name,
  ]),
]);
const DECLARATION = 'xmlns:';

export interface XmlHandler {
  open(name: string, attributes: Record<string, string>): void;
  close(name: string): void;
  text?(text: string): void;
}

/**
 * Parses a part while it is inflated. Names are passed without their namespace prefix. saxes expands no entities
 * and fetches nothing; a part that declares entities of its own is rejected.
 */
export async function readXml(archive: ZipArchive, part: string, handler: XmlHandler): Promise<void> {
  const parser = new SaxesParser();
  let depth = 0;
  let sinceTag = 0;
  const prefixes = new Prefixes();
  parser.on('doctype', (doctype) => {
    if (!doctype.includes('[')) return;
    throw new ExtractionError('corrupt', `The part ${part} declares entities (DTD), which are not read.`);
  });
  parser.on('error', (error) => {
    throw new ExtractionError('corrupt', `The part ${part} is not well-formed: ${errorSentence(error)}`);
  });
  parser.on('opentag', (tag) => {
    sinceTag = 0;
    if (++depth > MAX_DEPTH)
      throw new ExtractionError('too_complex', `The part ${part} is nested too deeply.`);
    handler.open(local(tag.name), prefixes.known(tag.attributes));
  });
  parser.on('closetag', (tag) => {
    sinceTag = 0;
    depth--;
    handler.close(local(tag.name));
  });
  if (handler.text) parser.on('text', (text) => handler.text?.(text));
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  await archive.read(part, (chunk) => {
    decoder ??= new TextDecoder(encoding(chunk), { fatal: true });
    sinceTag += chunk.length;
    if (sinceTag > MAX_TOKEN_BYTES)
      throw new ExtractionError('too_complex', `The part ${part} holds an endless text.`);
    parser.write(decoder.decode(chunk, { stream: true }));
  });
  parser.close();
}

/** Gives attributes the prefixes that readers know. */
class Prefixes {
  /** By the prefix that the part declares. */
  private readonly other = new Map<string, string>();

  known(attributes: Record<string, string>): Record<string, string> {
    for (const name in attributes)
      if (name.startsWith(DECLARATION)) this.declare(name.slice(DECLARATION.length), attributes[name]!);
    if (this.other.size === 0) return attributes;
    return Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => {
        const [prefix = '', rest] = name.split(':', 2);
        const known = rest === undefined ? undefined : this.other.get(prefix);
        return [known === undefined ? name : `${known}:${rest}`, value];
      }),
    );
  }

  private declare(prefix: string, namespace: string): void {
    const known = PREFIXES.get(namespace);
    if (known !== undefined && known !== prefix) this.other.set(prefix, known);
  }
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** OOXML allows only UTF-8 and UTF-16. */
function encoding(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}
