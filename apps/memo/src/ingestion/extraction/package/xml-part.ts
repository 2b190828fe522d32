import { SaxesParser } from 'saxes';
import { errorSentence, ExtractionError } from '../../../tables/extraction-error';
import { type ZipArchive } from './zip-archive';

/** Longest run of bytes without a tag, far above what programs write. saxes collects it in memory. */
const MAX_TOKEN_BYTES = 8 * 1024 * 1024;
/** Deepest nesting of elements, far above what programs write. The parser keeps a stack. */
const MAX_DEPTH = 2_000;

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
      throw new ExtractionError('too_complex', `The part ${part} holds an endless text.`);
    parser.write(decoder.decode(chunk, { stream: true }));
  });
  parser.close();
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
