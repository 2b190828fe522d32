import { env } from '@inference/config';
import { z } from 'zod';

const DEFAULT_FOLDER = 'storage';
const S3_SETTINGS = [
  'S3_REGION',
  'S3_ENDPOINT',
  'S3_PUBLIC_ENDPOINT',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'S3_PREFIX',
  'S3_FORCE_PATH_STYLE',
] as const;

export const storageFields = {
  /** Folder of the stored files; `storage` in the working directory by default. Excludes `S3_BUCKET`. */
  STORAGE_FOLDER: z.string().optional(),
  /** S3 bucket of the stored files. Without it they are in `STORAGE_FOLDER`. */
  S3_BUCKET: z.string().optional(),
  /** Region of the bucket. Required with `S3_BUCKET`. */
  S3_REGION: z.string().optional(),
  /** URL of an S3-compatible server other than Amazon's. */
  S3_ENDPOINT: env.httpUrl().optional(),
  /** URL at which customers reach the S3 server; `S3_ENDPOINT` by default. */
  S3_PUBLIC_ENDPOINT: env.httpUrl().optional(),
  /** Access key of the bucket. Without it the AWS SDK looks up credentials itself, for example the machine's role. */
  S3_ACCESS_KEY_ID: z.string().optional(),
  /** Secret that belongs to `S3_ACCESS_KEY_ID`. */
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  /** Prefix of every object name in the bucket; empty by default. */
  S3_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._/-]{1,200}$/, 'must have 1 to 200 of A-Z, a-z, 0-9 and . _ / -')
    .optional(),
  /** `true` for S3 servers that expect the bucket in the path and not in the host name. */
  S3_FORCE_PATH_STYLE: z.enum(['true', 'false'], 'must be true or false').optional(),
};

type Fields = z.output<z.ZodObject<typeof storageFields>>;
type Named<Prefix extends string, Of> = { [Name in keyof Of & string as `${Prefix}${Name}`]: Of[Name] };

/** The settings of another storage, which has no links. Their names begin with the prefix. */
export function storageFieldsNamed<Prefix extends string>(prefix: Prefix) {
  const { S3_PUBLIC_ENDPOINT: _ofLinks, ...fields } = storageFields;
  const named = Object.entries(fields).map(([name, field]) => [`${prefix}${name}`, field]);
  return Object.fromEntries(named) as Named<Prefix, typeof fields>;
}

/** What `storageFieldsNamed` has read, under the names of `storageFields`. */
export function storageSettingsNamed(prefix: string, config: Record<string, unknown>): Partial<Fields> {
  const names = Object.keys(storageFields);
  return Object.fromEntries(names.map((name) => [name, config[`${prefix}${name}`]]));
}

/**
 * Reports settings that contradict the chosen storage (a folder or a bucket) or are missing for it.
 *
 * @param prefix with which the names of the settings begin
 */
export function checkStorage(config: Partial<Fields>, context: z.RefinementCtx, prefix = ''): void {
  const fault = (name: keyof Fields, message: string) =>
    context.addIssue({ code: 'custom', path: [`${prefix}${name}`], message });
  const isSet = (name: keyof Fields) => config[name] !== undefined;
  const bucket = `${prefix}S3_BUCKET`;
  if (!isSet('S3_BUCKET')) {
    for (const name of S3_SETTINGS) if (isSet(name)) fault(name, `is set, but ${bucket} is not`);
    return;
  }
  if (isSet('STORAGE_FOLDER')) fault('STORAGE_FOLDER', `must not be set beside ${bucket}`);
  if (!isSet('S3_REGION')) fault('S3_REGION', `is missing beside ${bucket}`);
  if (isSet('S3_ACCESS_KEY_ID') !== isSet('S3_SECRET_ACCESS_KEY')) {
    const [missing, present]: (keyof Fields)[] = isSet('S3_ACCESS_KEY_ID')
      ? ['S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID']
      : ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];
    fault(missing!, `is missing beside ${prefix}${present}`);
  }
}

export interface S3Config {
  bucket: string;
  region: string;
  /** Amazon's own when undefined. */
  endpoint: string | undefined;
  /** Where customers reach the server; `endpoint` when undefined. */
  publicEndpoint: string | undefined;
  /** Looked up by the AWS SDK when undefined. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
  /** Prefix of every object name. */
  prefix: string;
  forcePathStyle: boolean;
}

/** Where files are stored. */
export type StorageBackend = { s3: S3Config } | { folder: string };

export function storageBackendOf(config: Partial<Fields>): StorageBackend {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (bucket === undefined) return { folder: config.STORAGE_FOLDER ?? DEFAULT_FOLDER };
  return {
    s3: {
      bucket,
      region: config.S3_REGION ?? '',
      endpoint: config.S3_ENDPOINT,
      publicEndpoint: config.S3_PUBLIC_ENDPOINT,
      credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
      prefix: config.S3_PREFIX ?? '',
      forcePathStyle: config.S3_FORCE_PATH_STYLE === 'true',
    },
  };
}
