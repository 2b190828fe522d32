import { crc32 } from 'node:zlib';
import { fromBuffer, type Entry, type ZipFile } from 'yauzl';
import { ExtractionError } from '../../../tables/extraction-error';

/** Size of a local header without the file name and the extra field, so a lower bound. */
const LOCAL_HEADER_BYTES = 30;
/** Most parts of a document, far above what programs write. Each one takes memory. */
const MAX_ENTRIES = 10_000;
/**
 * Unpacked size of one part, and of all parts that are read. This bounds the time spent on a decompression bomb;
 * the parts are not held in memory.
 */
const MAX_PART_BYTES = 512 * 1024 * 1024;
const MAX_PARTS_BYTES = 768 * 1024 * 1024;
/** Parts that are held in memory. Larger ones are far above what programs embed. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** A ZIP file. Only requested parts are inflated, up to the maximum sizes. */
export class ZipArchive {
  private readonly entries = new Map<string, Entry>();
  private inflated = 0;
  onInflated: (bytes: number) => void = () => undefined;

  private constructor(private readonly file: ZipFile) {}

  static async open(bytes: Uint8Array): Promise<ZipArchive> {
    const file = await openFile(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    if (file.entryCount > MAX_ENTRIES)
      throw new ExtractionError('too_complex', `The document has more than ${MAX_ENTRIES} parts.`);
    const archive = new ZipArchive(file);
    await archive.readDirectory();
    archive.refuseOverlaps();
    return archive;
  }

  has(name: string): boolean {
    return this.entries.has(key(name));
  }

  /** The declared size, which may be wrong; use it for progress only. */
  size(name: string): number {
    return this.entries.get(key(name))?.uncompressedSize ?? 0;
  }

  /**
   * Passes the bytes of a part on while it is inflated. Checks the declared size first and the actual size meanwhile.
   */
  async read(name: string, onChunk: (chunk: Buffer) => void): Promise<void> {
    const entry = this.entries.get(key(name));
    if (!entry) throw new ExtractionError('corrupt', `The document has no part ${name}.`);
    if (entry.isEncrypted())
      throw new ExtractionError('encrypted', 'The document is protected by a password.');
    this.checkSize(entry.uncompressedSize, this.inflated + entry.uncompressedSize);
    let size = 0;
    let sum = 0;
    for await (const chunk of await this.stream(entry)) {
      size += chunk.length;
      this.inflated += chunk.length;
      this.checkSize(size, this.inflated);
      sum = crc32(chunk, sum);
      onChunk(chunk);
      this.onInflated(this.inflated);
    }
    if (sum !== entry.crc32) throw new ExtractionError('corrupt', `The part ${name} is damaged.`);
  }

  /** The bytes of a part. Throws `too_complex` if it is large. */
  async readAll(name: string): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let length = 0;
    await this.read(name, (chunk) => {
      length += chunk.length;
      if (length > MAX_HELD_BYTES)
        throw new ExtractionError('too_complex', `The part ${name} is too large once it is unpacked.`);
      chunks.push(chunk);
    });
    return Buffer.concat(chunks, length);
  }

  private checkSize(part: number, parts: number): void {
    if (part > MAX_PART_BYTES || parts > MAX_PARTS_BYTES) {
      throw new ExtractionError('too_complex', 'The document is too large once it is unpacked.');
    }
  }

  private stream(entry: Entry): Promise<AsyncIterable<Buffer>> {
    return new Promise((resolve, reject) => {
      this.file.openReadStream(entry, (error, stream) => {
        if (error) reject(error);
        else resolve(stream);
      });
    });
  }

  private readDirectory(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.file.on('error', reject);
      this.file.on('end', resolve);
      this.file.on('entry', (entry: Entry) => {
        if (this.entries.has(key(entry.fileName))) {
          reject(new ExtractionError('corrupt', 'Two parts of the document have one name.'));
          return;
        }
        this.entries.set(key(entry.fileName), entry);
        this.file.readEntry();
      });
      this.file.readEntry();
    });
  }

  /** Overlapping entries let a small archive inflate to petabytes. No regular program writes them. */
  private refuseOverlaps(): void {
    const sorted = [...this.entries.values()].sort(
      (a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader,
    );
    let end = 0;
    for (const entry of sorted) {
      if (entry.relativeOffsetOfLocalHeader < end) {
        throw new ExtractionError('corrupt', 'Parts of the document overlap.');
      }
      end = entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + entry.compressedSize;
    }
  }
}

function openFile(bytes: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true, validateEntrySizes: true }, (error, file) => {
      if (error) reject(error);
      else resolve(file);
    });
  });
}

/** Part names are compared case-insensitively (ECMA-376, part 2). */
function key(name: string): string {
  return name.replace(/^\//, '').toLowerCase();
}
