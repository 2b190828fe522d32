import { env } from '@inference/config';
import {
  checkStorage,
  type StorageBackend,
  storageBackendOf,
  storageFields as backendFields,
} from '@inference/storage';
import { z } from 'zod';

export const STORAGE_CONFIG = Symbol('STORAGE_CONFIG');

/** The largest object that S3 stores is 5 TiB. */
const MAX_OBJECT_BYTES = 5 * 2 ** 40;
const DEFAULT_MAX_PACKAGE_BYTES = 2 ** 40;
const DEFAULT_LINK_TTL_SECONDS = 900;
/** A presigned S3 URL is valid for seven days at most. */
const MAX_LINK_TTL_SECONDS = 604_800;
const MIN_SECRET_CHARS = 32;

const linkSecrets = z
  .string()
  .transform((text) => text.split(',').map((secret) => secret.trim()))
  .refine(
    (secrets) => secrets.every(({ length }) => length >= MIN_SECRET_CHARS),
    `must have at least ${MIN_SECRET_CHARS} characters each`,
  );

export const storageFields = {
  ...backendFields,
  /** Life of a download link to a package, in seconds. */
  DOWNLOAD_LINK_TTL_SECONDS: env.integer(10, MAX_LINK_TTL_SECONDS).default(DEFAULT_LINK_TTL_SECONDS),
  /** Comma-separated secrets of the links to `STORAGE_FOLDER`. The first one signs, all of them verify. */
  DOWNLOAD_LINK_SECRETS: linkSecrets.optional(),
  /** Size limit of one model package, in bytes. */
  MAX_PACKAGE_BYTES: env.integer(1, MAX_OBJECT_BYTES).default(DEFAULT_MAX_PACKAGE_BYTES),
};

type Fields = z.output<z.ZodObject<typeof storageFields>>;

/** Reports settings that contradict the chosen storage or are missing for it. */
export function checkPackageStorage(config: Partial<Fields>, context: z.RefinementCtx): void {
  checkStorage(config, context);
  if (config.S3_BUCKET === undefined && config.DOWNLOAD_LINK_SECRETS === undefined)
    context.addIssue({ code: 'custom', path: ['DOWNLOAD_LINK_SECRETS'], message: 'is missing' });
}

/** Where packages are stored, how large they may be and how long links to them are valid. */
export interface StorageConfig {
  backend: StorageBackend;
  /** Of the links to a folder: the first one signs, all of them verify. */
  linkSecrets: string[];
  linkTtlSeconds: number;
  maxPackageBytes: number;
}

export function storageOf(config: Fields): StorageConfig {
  return {
    backend: storageBackendOf(config),
    linkSecrets: config.DOWNLOAD_LINK_SECRETS ?? [],
    linkTtlSeconds: config.DOWNLOAD_LINK_TTL_SECONDS,
    maxPackageBytes: config.MAX_PACKAGE_BYTES,
  };
}
