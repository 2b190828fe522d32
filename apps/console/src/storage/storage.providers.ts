import { type Provider } from '@nestjs/common';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { FolderStorage } from './folder-storage';
import { OBJECT_STORAGE, type ObjectStorage } from './object-storage';
import { S3Storage } from './s3-storage';

/** Where packages are kept, by configuration: a bucket or a folder. */
export const STORAGE_PROVIDER: Provider = {
  provide: OBJECT_STORAGE,
  inject: [CONSOLE_CONFIG],
  useFactory: ({ CONSOLE_URL, catalogue: { storage } }: ConsoleConfig): ObjectStorage => {
    if ('s3' in storage) return new S3Storage(storage.s3);
    return new FolderStorage(storage.folder, CONSOLE_URL);
  },
};
