import { posix } from 'node:path';
import { ExtractionError } from '../../../tables/extraction-error';
import { DOCX, type MediaType, nameOf, PPTX, XLSX } from '../../../tables/media-type';
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

const CONTENT_TYPES = '[Content_Types].xml';
/** The folder of the main part tells what an Office file is. */
const FOLDERS = { [DOCX]: 'word', [XLSX]: 'xl', [PPTX]: 'ppt' };
const DEFAULT_MAIN_PART = 'word/document.xml';

/** A package of ISO 29500: a ZIP archive of parts that refer to each other. */
export class Package {
  private constructor(
    private readonly archive: ZipArchive,
    readonly mainPart: string,
  ) {}

  /** Throws `unsupported` if the file is something other than `mediaType`. */
  static async open(bytes: Uint8Array, mediaType: keyof typeof FOLDERS): Promise<Package> {
    const archive = await ZipArchive.open(bytes);
    if (!archive.has(CONTENT_TYPES))
      throw new ExtractionError('unsupported', `The file is a ZIP archive, not a ${nameOf(mediaType)}.`);
    const main = (await relationsIn(archive, '')).find(({ type }) => type === 'officeDocument');
    const mainPart = main?.target ?? DEFAULT_MAIN_PART;
    const other = Object.entries(FOLDERS).find(
      ([type, folder]) => type !== mediaType && mainPart.startsWith(`${folder}/`),
    );
    if (other)
      throw new ExtractionError(
        'unsupported',
        `The file is an Office file, but not a ${nameOf(mediaType)}; it is a ${nameOf(other[0] as MediaType)}.`,
      );
    if (!archive.has(mainPart)) throw new ExtractionError('corrupt', 'The document has no main part.');
    return new Package(archive, mainPart);
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

  readAll(part: string): Promise<Buffer> {
    return this.archive.readAll(part);
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
