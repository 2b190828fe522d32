import { createHash } from 'node:crypto';
import { Inject, Injectable, PayloadTooLargeException } from '@nestjs/common';
import { newId, SQL_POOL, type SqlPool } from '@inference/database';
import { MEMO_CONFIG, type MemoConfig } from '../config';
import { HEAD_BYTES } from './media-type';

/** A file as it was sent, kept until its text is read. */
export interface StoredSource {
  uploadId: string;
  bytes: number;
  sha256: Buffer;
  /** Its first bytes. */
  head: Buffer;
}

const PART_BYTES = 1_048_576;
const INSERT = 'INSERT INTO memo.source_parts (upload_id, n, bytes) VALUES ($1, $2, $3)';
const READ = 'SELECT bytes FROM memo.source_parts WHERE upload_id = $1 AND n = $2';
const DELETE = 'DELETE FROM memo.source_parts WHERE upload_id = $1';

/** Keeps files in parts as they come, so that no process holds one as a whole. */
@Injectable()
export class SourceStore {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(MEMO_CONFIG) private readonly config: MemoConfig,
  ) {}

  /** 413, or the given refusal, for more than `most` bytes; what was stored is deleted then, as whenever its sender breaks off. */
  async write(
    content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    most = this.config.MAX_DOCUMENT_BYTES,
    refusal = tooLarge(this.config),
  ): Promise<StoredSource> {
    const uploadId = newId('up');
    const digest = createHash('sha256');
    let bytes = 0;
    let head = Buffer.alloc(0);
    try {
      let n = 0;
      for await (const part of partsOf(content)) {
        bytes += part.length;
        if (bytes > most) throw refusal;
        if (n === 0) head = Buffer.from(part.subarray(0, HEAD_BYTES));
        digest.update(part);
        await this.pool.query(INSERT, [uploadId, n++, part]);
      }
    } catch (error) {
      await this.remove(uploadId);
      throw error;
    }
    return { uploadId, bytes, sha256: digest.digest(), head };
  }

  /** The whole of it, in one piece. */
  async readAll(uploadId: string): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let n = 0; ; n++) {
      const { rows } = await this.pool.query<{ bytes: Buffer }>(READ, [uploadId, n]);
      if (!rows[0]) return Buffer.concat(parts);
      parts.push(rows[0].bytes);
    }
  }

  async remove(uploadId: string): Promise<void> {
    await this.pool.query(DELETE, [uploadId]);
  }
}

export const tooLarge = ({ MAX_DOCUMENT_BYTES: most }: MemoConfig) =>
  new PayloadTooLargeException(`a document has ${most} bytes at most`);

async function* partsOf(content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of content) {
    for (let from = 0; from < chunk.length;) {
      const piece = chunk.subarray(from, from + PART_BYTES - length);
      waiting.push(piece);
      length += piece.length;
      from += piece.length;
      if (length < PART_BYTES) continue;
      yield Buffer.concat(waiting);
      waiting = [];
      length = 0;
    }
  }
  if (length > 0) yield Buffer.concat(waiting);
}
