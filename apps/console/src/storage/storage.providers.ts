import { type Provider } from '@nestjs/common';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { FolderStorage } from './folder-storage';
import { OBJECT_STORAGE, type ObjectStorage } from './object-storage';
import type * as s3 from './s3-storage';

/** Where packages are kept, by configuration: a bucket or a folder. Amazon's SDK is large, and not loaded for a folder. */
export const STORAGE_PROVIDER: Provider = {
  provide: OBJECT_STORAGE,
  inject: [CONSOLE_CONFIG],
  useFactory: ({ CONSOLE_URL, catalogue: { storage } }: ConsoleConfig): ObjectStorage => {
    if (!('s3' in storage)) return new FolderStorage(storage.folder, CONSOLE_URL);
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const { S3Storage } = require('./s3-storage') as typeof s3;
    return new S3Storage(storage.s3);
  },
};
