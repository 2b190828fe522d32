import { type Readable } from 'node:stream';

export const OBJECT_STORAGE = Symbol('OBJECT_STORAGE');

export interface DownloadLink {
  /** The name under which whoever opens the link keeps the file. */
  fileName: string;
  expiresInSeconds: number;
}

/**
 * Keeps files for good, each under a key of our own making (`[A-Za-z0-9_]{1,64}`) and never changed. Every call throws
 * a StorageUnavailableError when the storage is away, full or refuses us.
 */
export interface ObjectStorage {
  /**
   * Reads the source to its end. Either the whole of it is there afterwards, safe from a crash, or the call throws and
   * nothing is there; what the source fails with is thrown as it is.
   */
  write(key: string, source: Readable, sizeBytes: number): Promise<void>;
  /** Also what is left of a write that never ended; no error when there is nothing. */
  remove(key: string): Promise<void>;
  /** A URL that needs no credential and stops working after a while. */
  link(key: string, link: DownloadLink): Promise<string>;
}
