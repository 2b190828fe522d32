import { FolderStorage, type FolderLinks } from './folder-storage';
import { type ObjectStorage } from './object-storage';
import type * as s3 from './s3-storage';
import { type StorageBackend } from './storage.config';

/**
 * The configured storage. The AWS SDK is large, so it is loaded only for a bucket.
 *
 * @param links how the folder's links are made; without it the folder has none
 */
export function openStorage(backend: StorageBackend, links?: FolderLinks): ObjectStorage {
  if (!('s3' in backend)) return new FolderStorage(backend.folder, links);
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { S3Storage } = require('./s3-storage') as typeof s3;
  return new S3Storage(backend.s3);
}
