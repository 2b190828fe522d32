import { type Readable } from 'node:stream';

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
 * Stores immutable files under keys: names of `[A-Za-z0-9_.-]` that do not begin with a dot, separated by slashes, together at
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
