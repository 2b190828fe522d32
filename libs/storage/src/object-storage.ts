import { type Readable } from 'node:stream';
import { DetailedException, RETRY_AFTER_ONE_SECOND } from '@inference/http';

export interface DownloadLink {
  /** The name under which browsers save the file. */
  fileName: string;
  expiresInSeconds: number;
}

/** A file that arrives in parts. */
export interface PartedFile {
  key: string;
  /** What `beginParts` has returned. */
  uploadId: string;
  sizeBytes: number;
  /** Bytes of every part but the last one. */
  partBytes: number;
}

/** The storage has not got the parts, or not any more. */
export class PartsLostError extends Error {}

/**
 * Stores immutable files under keys: names of `[A-Za-z0-9_.=-]` that do not begin with a dot, separated by slashes, together at
 * most 200 characters. Every method throws a StorageUnavailableError if the storage is unreachable, full or refuses access.
 */
export interface ObjectStorage {
  /**
   * Stores the source durably under a new key. If it throws, nothing is stored. An error of the source is rethrown
   * unchanged.
   */
  write(key: string, source: Readable, sizeBytes: number): Promise<void>;
  /** Begins a file that arrives in parts under a new key, and returns the storage's own name of this upload. */
  beginParts(key: string): Promise<string>;
  /**
   * Stores a part durably, in any order and beside others. A part may be written again, but only with the same content.
   * Throws a PartsLostError if the file was removed.
   *
   * @param number from 1
   */
  writePart(file: PartedFile, number: number, content: Buffer): Promise<void>;
  /** Makes a file of its parts. May be repeated. Throws a PartsLostError unless all of them are there. */
  joinParts(file: PartedFile): Promise<void>;
  /** Opens a stored file. */
  read(key: string): Promise<Readable>;
  /** The bytes of a stored file; undefined if there is none. */
  sizeOf(key: string): Promise<number | undefined>;
  /** Removes the file and the remains of an interrupted write. Succeeds if there is nothing to remove. */
  remove(key: string): Promise<void>;
  /** Returns a URL that needs no credential and expires, of a file whose key is one name of `[A-Za-z0-9_]{1,64}`. */
  link(key: string, link: DownloadLink): Promise<string>;
}

/** Becomes a 503 response. The cause is only logged. */
export class StorageUnavailableError extends DetailedException {
  constructor(cause: unknown) {
    super(503, 'storage unavailable', {}, RETRY_AFTER_ONE_SECOND, { cause });
  }
}

/**
 * Yields the source and throws unless it has exactly `sizeBytes` bytes. A source that is not read to its end is not
 * destroyed: it may be a request whose socket still has to carry the response.
 */
export async function* requireContentLength(
  source: Readable,
  sizeBytes: number,
): AsyncGenerator<Buffer, void> {
  let readBytes = 0;
  for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    readBytes += chunk.length;
    if (readBytes > sizeBytes) throw new Error(`The source has more than the announced ${sizeBytes} bytes.`);
    yield chunk;
  }
  if (readBytes < sizeBytes) throw new Error(`The source ended after ${readBytes} of ${sizeBytes} bytes.`);
}

/** Twice doubles the memory of an upload; half doubles the requests. S3 requires at least 5 MiB. */
const MIN_PART_BYTES = 16 * 2 ** 20;
const PART_STEP_BYTES = 2 ** 20;
/** Limit of S3. */
export const MAX_PARTS = 10_000;
/** The largest part of a file that arrives in parts. A part is in memory, of which one caller may use 64 MiB. */
export const MAX_PART_BYTES = 64 * 2 ** 20;
/** The largest file whose parts are not larger. */
export const MAX_PARTED_BYTES = MAX_PARTS * MAX_PART_BYTES;

/** The smallest part size, at least 16 MiB, with which a file of this size stays within S3's limit of parts. */
export function partBytesOf(sizeBytes: number): number {
  return Math.max(MIN_PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS / PART_STEP_BYTES) * PART_STEP_BYTES);
}
