import { posix } from 'node:path';
import { ExtractionError } from '../../../tables/extraction-error';
import { type Omissions } from '../../../tables/omission';
import { type ReadingOutput } from '../format-reader';
import { readHtml } from '../html';
import { readDamaged } from '../package/damage';
import { readXml } from '../package/xml-part';
import { ZipArchive } from '../package/zip-archive';

const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';
const PAGES = new Set(['application/xhtml+xml', 'text/html', 'text/x-oeb1-document']);

/** Reads the chapters of a book (EPUB 2 and 3) in the order of its spine. */
export function readEpub(bytes: Uint8Array, output: ReadingOutput): Promise<void> {
  return readDamaged(async () => {
    const archive = await ZipArchive.open(bytes);
    if (!archive.has(CONTAINER))
      throw new ExtractionError('unsupported', 'The file is a ZIP archive, not an EPUB.');
    const locked = await encryptedParts(archive);
    const chapters = await chaptersOf(archive, await packageDocument(archive), output.omissions);
    for (const [index, part] of chapters.entries()) {
      if (locked.has(part))
        throw new ExtractionError('encrypted', 'The book is protected against copying (DRM).');
      output.writer.block();
      if (archive.has(part))
        readHtml(await archive.readAll(part), { ...output, onProgress: () => undefined });
      else output.omissions.add('missing_part');
      output.onProgress(index + 1, chapters.length);
    }
  });
}

async function packageDocument(archive: ZipArchive): Promise<string> {
  let found = '';
  await readXml(archive, CONTAINER, {
    open: (name, attributes) => {
      if (name === 'rootfile') found ||= attributes['full-path'] ?? '';
    },
    close: () => undefined,
  });
  if (!archive.has(found)) throw new ExtractionError('corrupt', 'The book has no table of its parts.');
  return found;
}

/** The parts of the spine, which are named in relation to the package document. */
async function chaptersOf(archive: ZipArchive, opf: string, omissions: Omissions): Promise<string[]> {
  const pictures = new Set<string>();
  const pages = new Map<string, string>();
  const chapters: string[] = [];
  await readXml(archive, opf, {
    open: (name, attributes) => {
      const { id = '', href = '', idref = '' } = attributes;
      if (name === 'item' && PAGES.has(attributes['media-type'] ?? ''))
        pages.set(id, posix.join(posix.dirname(opf), decoded(href)));
      if (name === 'item' && attributes['media-type']?.startsWith('image/')) pictures.add(id);
      if (name === 'itemref' && pictures.has(idref)) omissions.add('picture');
      const page = name === 'itemref' ? pages.get(idref) : undefined;
      if (page !== undefined) chapters.push(page);
    },
    close: () => undefined,
  });
  return chapters;
}

/** The parts that are encrypted. Books that can be read encrypt their fonts only. */
async function encryptedParts(archive: ZipArchive): Promise<Set<string>> {
  const parts = new Set<string>();
  if (!archive.has(ENCRYPTION)) return parts;
  await readXml(archive, ENCRYPTION, {
    open: (name, { URI }) => {
      if (name === 'CipherReference' && URI !== undefined) parts.add(decoded(URI));
    },
    close: () => undefined,
  });
  return parts;
}

/** A reference without its fragment and its percent signs. */
function decoded(reference: string): string {
  const [path = ''] = reference.split('#');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
