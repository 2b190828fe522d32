import { type Readable } from 'node:stream';

export const OBJECT_STORAGE = Symbol('OBJECT_STORAGE');

export interface DownloadLink {
  /** The name under which browsers save the file. */
  fileName: string;
  expiresInSeconds: number;
}

/**
 * Stores immutable files under keys that the console generates (`[A-Za-z0-9_]{1,64}`). Every method throws a
 * StorageUnavailableError if the storage is unreachable, full or refuses access.
 */
export interface ObjectStorage {
  /**
   * Stores the source durably under a new key. If it throws, nothing is stored. An error of the source is rethrown
   * unchanged.
   */
  write(key: string, source: Readable, sizeBytes: number): Promise<void>;
  /** Removes the file and the remains of an interrupted write. Succeeds if there is nothing to remove. */
  remove(key: string): Promise<void>;
  /** Returns a URL that needs no credential and expires. */
  link(key: string, link: DownloadLink): Promise<string>;
}
