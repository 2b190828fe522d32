import { createHash } from 'node:crypto';
import { type HttpException, Injectable } from '@nestjs/common';
import { Database, newId } from '@inference/database';
import { SIGNATURE_BYTES } from '../../tables/media-type';
import { deleteParts, findPart, findParts, insertPart } from './source-parts.repository';

/** An uploaded file. */
export interface StoredFile {
  /** The whole file if it is short: the transaction that adds its document stores it. Null if its parts are stored. */
  content: Buffer | null;
  uploadId: string;
  bytes: number;
  sha256: Buffer;
  /** The first SIGNATURE_BYTES of the file. */
  head: Buffer;
}

/** How many bytes are accepted, and the error for more. */
export interface SizeLimit {
  bytes: number;
  error: () => HttpException;
}

/** Size of a row. Half doubles the statements per file; twice doubles the memory of each upload. */
export const PART_BYTES = 1_048_576;

/** Room for a short file. Most uploads are short, and would otherwise allocate a whole part each. */
const FIRST_BUFFER_BYTES = 16_384;

/** Stores files in parts as they arrive, so that no process holds a whole file while it is uploaded. */
@Injectable()
export class SourceFileStore {
  constructor(private readonly database: Database) {}

  /**
   * Throws the limit's error for content that is too large. Removes the stored parts if the content ends with an error.
   * @param maxHeldBytes shorter content is returned instead of stored
   */
  async write(
    content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    limit: SizeLimit,
    maxHeldBytes = 0,
  ): Promise<StoredFile> {
    const uploadId = newId('up');
    const digest = createHash('sha256');
    let bytes = 0;
    let head = Buffer.alloc(0);
    let n = 0;
    try {
      for await (const part of partsOf(content)) {
        bytes += part.length;
        if (bytes > limit.bytes) throw limit.error();
        if (n === 0) head = Buffer.from(part.subarray(0, SIGNATURE_BYTES));
        digest.update(part);
        // The last part is shorter than the others.
        if (n === 0 && part.length < PART_BYTES && part.length <= maxHeldBytes)
          return { uploadId, bytes, sha256: digest.digest(), head, content: Buffer.from(part) };
        await insertPart(this.database, { uploadId, n: n++, bytes: part });
      }
    } catch (error) {
      if (n > 0) await this.remove(uploadId);
      throw error;
    }
    return { uploadId, bytes, sha256: digest.digest(), head, content: null };
  }

  /** The whole file in one buffer. */
  async readAll(uploadId: string): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let n = 0; ; n++) {
      const part = await findPart(this.database, uploadId, n);
      if (!part) return Buffer.concat(parts);
      parts.push(part.bytes);
    }
  }

  /** The file in its parts, for a response. Throws if it is deleted before its end. @param bytes its size */
  async *stream(uploadId: string, bytes: number): AsyncGenerator<Buffer> {
    let sent = 0;
    for (let n = 0; sent < bytes; n++) {
      const part = await findPart(this.database, uploadId, n);
      if (!part) throw new Error('This file is not stored any more.');
      sent += part.bytes.length;
      yield part.bytes;
    }
  }

  /** Whole files by upload id. A file that is deleted is missing. */
  async readFiles(uploadIds: string[]): Promise<Map<string, Buffer>> {
    const parts = new Map<string, Buffer[]>();
    for (const { uploadId, bytes } of await findParts(this.database, uploadIds))
      parts.set(uploadId, [...(parts.get(uploadId) ?? []), bytes]);
    return new Map(Array.from(parts, ([uploadId, ofFile]) => [uploadId, Buffer.concat(ofFile)]));
  }

  /** Removes the parts of an upload that is not used. */
  async discard({ uploadId, content }: StoredFile): Promise<void> {
    if (!content) await this.remove(uploadId);
  }

  async remove(uploadId: string): Promise<void> {
    await deleteParts(this.database, [uploadId]);
  }
}

/** The content in buffers of PART_BYTES; the last one may be shorter. Chunks are copied: a short one may keep a large buffer. */
async function* partsOf(content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  let part = Buffer.allocUnsafe(FIRST_BUFFER_BYTES);
  let length = 0;
  for await (const chunk of content) {
    for (let from = 0; from < chunk.length;) {
      const piece = chunk.subarray(from, from + PART_BYTES - length);
      if (length + piece.length > part.length) part = Buffer.concat([part.subarray(0, length)], PART_BYTES);
      part.set(piece, length);
      length += piece.length;
      from += piece.length;
      if (length < PART_BYTES) continue;
      yield part;
      part = Buffer.allocUnsafe(PART_BYTES);
      length = 0;
    }
  }
  if (length > 0) yield part.subarray(0, length);
}
