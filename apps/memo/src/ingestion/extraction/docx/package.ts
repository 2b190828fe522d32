import { posix } from 'node:path';
import { ExtractionError } from '../../../tables/extraction-error';
import { readXml, type XmlHandler } from './xml-part';
import { ZipArchive } from './zip-archive';

export interface Relation {
  id: string;
  /** The last word of the type's address, such as `header`. */
  type: string;
  /** A part name, or an address outside the package. */
  target: string;
  isExternal: boolean;
}

/** What kind of Office file a package is, by its main part. */
export type PackageKind = 'word' | 'sheet' | 'slides';

const CONTENT_TYPES = '[Content_Types].xml';
const DEFAULT_MAIN_PART = 'word/document.xml';
/** Parts that are held in memory. Larger ones are far above what programs embed. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** A package of ISO 29500: a ZIP archive of parts that refer to each other. */
export class Package {
  private constructor(
    private readonly archive: ZipArchive,
    readonly mainPart: string,
  ) {}

  static async open(bytes: Uint8Array): Promise<Package> {
    const archive = await ZipArchive.open(bytes);
    if (!archive.has(CONTENT_TYPES))
      throw new ExtractionError('unsupported', 'The file is a ZIP archive, not a DOCX.');
    const main = (await relationsIn(archive, '')).find(({ type }) => type === 'officeDocument');
    const mainPart = main?.target ?? DEFAULT_MAIN_PART;
    if (!archive.has(mainPart)) throw new ExtractionError('corrupt', 'The document has no main part.');
    return new Package(archive, mainPart);
  }

  get kind(): PackageKind {
    if (this.mainPart.startsWith('xl/')) return 'sheet';
    return this.mainPart.startsWith('ppt/') ? 'slides' : 'word';
  }

  set onInflated(report: (bytes: number) => void) {
    this.archive.onInflated = report;
  }

  has(part: string): boolean {
    return this.archive.has(part);
  }

  /** The declared size, which may be wrong; use it for progress only. */
  size(part: string): number {
    return this.archive.size(part);
  }

  readXml(part: string, handler: XmlHandler): Promise<void> {
    return readXml(this.archive, part, handler);
  }

  /** The bytes of a part. Throws `too_complex` if it is large. */
  async readAll(part: string): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let length = 0;
    await this.archive.read(part, (chunk) => {
      length += chunk.length;
      if (length > MAX_HELD_BYTES)
        throw new ExtractionError('too_complex', `The part ${part} is too large once it is unpacked.`);
      chunks.push(chunk);
    });
    return Buffer.concat(chunks, length);
  }

  relationsOf(part: string): Promise<Relation[]> {
    return relationsIn(this.archive, part);
  }
}

async function relationsIn(archive: ZipArchive, part: string): Promise<Relation[]> {
  const { dir, base } = posix.parse(part);
  const listed = posix.join(dir, '_rels', `${base}.rels`);
  const relations: Relation[] = [];
  if (!archive.has(listed)) return relations;
  await readXml(archive, listed, {
    open: (name, { Id = '', Type = '', Target = '', TargetMode }) => {
      if (name !== 'Relationship' || Target === '') return;
      const isExternal = TargetMode === 'External';
      const target = isExternal ? Target : resolved(dir, Target);
      relations.push({ id: Id, type: Type.slice(Type.lastIndexOf('/') + 1), target, isExternal });
    },
    close: () => undefined,
  });
  return relations;
}

const resolved = (folder: string, target: string): string =>
  (target.startsWith('/') ? posix.normalize(target) : posix.join('/', folder, target)).slice(1);
