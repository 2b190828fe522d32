import { type ObjectStorage, openStorage } from '@inference/storage';
import { type Provider } from '@nestjs/common';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { STORAGE_CONFIG, type StorageConfig } from '../catalogue.config';

export const OBJECT_STORAGE = Symbol('OBJECT_STORAGE');

/** The storage of the model packages. */
export const OBJECT_STORAGE_PROVIDER: Provider = {
  provide: OBJECT_STORAGE,
  inject: [STORAGE_CONFIG, SITE_CONFIG],
  useFactory: ({ backend, linkSecrets }: StorageConfig, { consoleUrl }: SiteConfig): ObjectStorage =>
    openStorage(backend, { secrets: linkSecrets, publicUrl: consoleUrl }),
};
