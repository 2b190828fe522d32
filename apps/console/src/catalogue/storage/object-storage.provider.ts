import { type Provider } from '@nestjs/common';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { FolderStorage } from './folder/folder-storage';
import { OBJECT_STORAGE, type ObjectStorage } from './object-storage';
import type * as s3 from './s3/s3-storage';
import { STORAGE_CONFIG, type StorageConfig } from './storage.config';

/** The configured storage. The AWS SDK is large, so it is loaded only for a bucket. */
export const OBJECT_STORAGE_PROVIDER: Provider = {
  provide: OBJECT_STORAGE,
  inject: [STORAGE_CONFIG, SITE_CONFIG],
  useFactory: ({ backend }: StorageConfig, { consoleUrl }: SiteConfig): ObjectStorage => {
    if (!('s3' in backend)) return new FolderStorage(backend.folder, consoleUrl);
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const { S3Storage } = require('./s3/s3-storage') as typeof s3;
    return new S3Storage(backend.s3);
  },
};
