export { type DownloadLink, type ObjectStorage, type PartedFile, PartsLostError } from './object-storage';
export { openStorage } from './open-storage';
export { FILES_PATH, FolderStorage } from './folder/folder-storage';
export { signLink, verifyLink } from './folder/link-signature';
export { MAX_PART_BYTES, MAX_PARTED_BYTES, MAX_PARTS, partBytesOf } from './part-size';
export {
  checkStorage,
  type S3Config,
  type StorageBackend,
  storageBackendOf,
  storageFields,
} from './storage.config';
export { StorageUnavailableError } from './storage-unavailable';
