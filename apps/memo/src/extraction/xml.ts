import { SaxesParser } from 'saxes';
import { type Archive } from './archive';
import { faultOf, ReadingError } from './reading-error';

/** saxes gathers a text or an attribute until it ends; no program writes such long ones. */
const MAX_TOKEN_BYTES = 8 * 1024 * 1024;
const MAX_DEPTH = 2_000;

export interface XmlHandler {
  open(name: string, attributes: Record<string, string>): void;
  close(name: string): void;
  text?(text: string): void;
}

/**
 * Reads one part as it is inflated. Names come without their prefix. saxes expands no entities of a DTD and
 * fetches nothing; as OOXML forbids a DTD, the mere presence of one ends the document.
 */
export async function readXml(archive: Archive, part: string, handler: XmlHandler): Promise<void> {
  const parser = new SaxesParser();
  let depth = 0;
  let sinceTag = 0;
  parser.on('doctype', () => {
    throw new ReadingError('corrupt', `The part ${part} declares entities (DTD), which DOCX forbids.`);
  });
  parser.on('error', (error) => {
    throw new ReadingError('corrupt', `The part ${part} is not well-formed: ${faultOf(error)}`);
  });
  parser.on('opentag', (tag) => {
    sinceTag = 0;
    if (++depth > MAX_DEPTH) throw new ReadingError('too_complex', `The part ${part} is nested too deeply.`);
    handler.open(local(tag.name), tag.attributes);
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
      throw new ReadingError('too_complex', `The part ${part} holds an endless text.`);
    parser.write(decoder.decode(chunk, { stream: true }));
  });
  parser.close();
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** OOXML allows UTF-8 and UTF-16 only. */
function encoding(start: Buffer): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}
