export {
  type DownloadLink,
  MAX_PART_BYTES,
  MAX_PARTED_BYTES,
  MAX_PARTS,
  type ObjectStorage,
  partBytesOf,
  type PartedFile,
  PartsLostError,
  StorageUnavailableError,
} from './object-storage';
export { openStorage } from './open-storage';
export { FILES_PATH, FolderStorage, signLink, verifyLink } from './folder-storage';
export {
  checkStorage,
  type S3Config,
  type StorageBackend,
  storageBackendOf,
  storageFields,
  storageFieldsNamed,
  storageSettingsNamed,
} from './storage.config';
