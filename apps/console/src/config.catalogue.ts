import { env, type Site } from '@inference/config';
import { z } from 'zod';
import { isPrivateChannel } from './config.oauth';
import { COMPONENTS, type Component } from './releases/component';

const DEFAULT_FOLDER = 'storage';
/** The smallest part of a multipart upload is 5 MiB and there may be 10,000 parts; the largest object has 5 TiB. */
const MAX_OBJECT_BYTES = 5 * 2 ** 40;
const S3_SETTINGS = [
  'S3_REGION',
  'S3_ENDPOINT',
  'S3_PUBLIC_ENDPOINT',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'S3_PREFIX',
  'S3_FORCE_PATH_STYLE',
] as const;
const CODE_HOSTS: Record<Site, { url: string; apiUrl: string }> = {
  intl: { url: 'https://github.com', apiUrl: 'https://api.github.com' },
  cn: { url: 'https://gitee.com', apiUrl: 'https://gitee.com/api/v5' },
};
const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\/[A-Za-z0-9._-]{1,100}$/;

const privateUrl = () =>
  env
    .httpUrl()
    .refine(
      (url) => !URL.canParse(url) || isPrivateChannel(url),
      'must be https, except on this machine itself',
    );

const linkSecrets = z
  .string()
  .transform((text) => text.split(',').map((secret) => secret.trim()))
  .refine((secrets) => secrets.every(({ length }) => length >= 32), 'must have at least 32 characters each');

const pages = z
  .array(
    z
      .string('must be a path')
      .regex(/^\/[\w.~!$&'()*+,;=:@%/-]*$/, 'must be a path of a URL, such as /pricing')
      .max(500, 'must have at most 500 characters'),
    'must be an array of paths',
  )
  .min(1, 'must name a page')
  .max(1_000, 'must have at most 1000 paths')
  .refine((paths) => new Set(paths).size === paths.length, 'must name each path once');

export const catalogueFields = {
  /** Where model packages are kept; `storage` in the working directory unless told, or S3. */
  STORAGE_FOLDER: z.string().optional(),
  S3_BUCKET: z.string().optional(),
  S3_REGION: z.string().optional(),
  /** Another server than Amazon's that speaks its protocol. */
  S3_ENDPOINT: env.httpUrl().optional(),
  /** Where customers reach that server, if elsewhere than the console does. */
  S3_PUBLIC_ENDPOINT: env.httpUrl().optional(),
  /** Both, or neither: then they come from where Amazon's tools look, such as the role of the machine. */
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  /** What the names of our objects begin with. */
  S3_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._/-]{1,200}$/, 'must have 1 to 200 of A-Z, a-z, 0-9 and . _ / -')
    .optional(),
  /** `true` for servers that know a bucket by the path and not by the host's name. */
  S3_FORCE_PATH_STYLE: z.enum(['true', 'false'], 'must be true or false').optional(),
  /** How long a link to a package can be used. */
  DOWNLOAD_LINK_TTL_SECONDS: env.integer(10, 604_800).default(900),
  /** Sign the links of a folder's files: the first one signs, all verify. */
  DOWNLOAD_LINK_SECRETS: linkSecrets.optional(),
  MAX_PACKAGE_BYTES: env.integer(1, MAX_OBJECT_BYTES).default(2 ** 40),
  /** Whose releases are followed: JSON {component: "owner/repository"}. */
  RELEASE_REPOSITORIES: env
    .json(
      z.partialRecord(
        z.enum(COMPONENTS),
        z.string('must be a text').regex(REPOSITORY, 'must be owner/repository'),
        `must be an object with some of ${COMPONENTS.join(', ')}`,
      ),
    )
    .default({}),
  /** Where the files of releases lie: GitHub at intl, Gitee at cn unless told. */
  CODE_HOST_URL: env.httpUrl().optional(),
  CODE_HOST_API_URL: privateUrl().optional(),
  CODE_HOST_TOKEN: z.string().optional(),
  RELEASE_POLL_SECONDS: env.integer(10, 86_400).default(300),
  /** The public pages of the console, as paths. */
  SITEMAP_PAGES: env.json(pages).default(['/', '/models', '/pricing', '/downloads', '/changelog']),
};

type Fields = z.output<z.ZodObject<typeof catalogueFields>>;

/** Either a folder or a bucket; and another code host than the site's own needs its API's address too. */
export function checkCatalogue(config: Partial<Fields>, context: z.RefinementCtx): void {
  const fault = (name: keyof Fields, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  const given = (name: keyof Fields) => config[name] !== undefined;
  if (given('S3_BUCKET')) {
    if (given('STORAGE_FOLDER')) fault('STORAGE_FOLDER', 'must not be set beside S3_BUCKET');
    if (!given('S3_REGION')) fault('S3_REGION', 'is missing beside S3_BUCKET');
    if (given('S3_ACCESS_KEY_ID') !== given('S3_SECRET_ACCESS_KEY')) {
      const [missing, present]: (keyof Fields)[] = given('S3_ACCESS_KEY_ID')
        ? ['S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID']
        : ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];
      fault(missing!, `is missing beside ${present}`);
    }
  } else {
    for (const name of S3_SETTINGS) if (given(name)) fault(name, 'is set, but S3_BUCKET is not');
    if (!given('DOWNLOAD_LINK_SECRETS')) fault('DOWNLOAD_LINK_SECRETS', 'is missing');
  }
  const follows = Object.keys(config.RELEASE_REPOSITORIES ?? {}).length > 0;
  if (follows && given('CODE_HOST_URL') && !given('CODE_HOST_API_URL'))
    fault('CODE_HOST_API_URL', 'is missing beside CODE_HOST_URL');
}

export interface S3Config {
  bucket: string;
  region: string;
  endpoint: string | undefined;
  publicEndpoint: string | undefined;
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
  prefix: string;
  forcePathStyle: boolean;
}

export interface FolderConfig {
  folder: string;
  linkSecrets: string[];
}

/** Where packages are kept, how long their links live, and whose releases are published. */
export interface CatalogueConfig {
  storage: { s3: S3Config } | { folder: FolderConfig };
  linkTtlSeconds: number;
  maxPackageBytes: number;
  codeHost: CodeHostConfig;
  sitemapPages: string[];
}

export interface CodeHostConfig {
  /** Of the host itself: the origin of every file of a release. */
  url: string;
  apiUrl: string;
  token: string | undefined;
  repositories: Partial<Record<Component, string>>;
  pollSeconds: number;
}

function storageOf(config: Fields): CatalogueConfig['storage'] {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (bucket === undefined) {
    const linkSecrets = config.DOWNLOAD_LINK_SECRETS ?? [];
    return { folder: { folder: config.STORAGE_FOLDER ?? DEFAULT_FOLDER, linkSecrets } };
  }
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

export function catalogueOf(config: Fields & { SITE: Site }): CatalogueConfig {
  const host = CODE_HOSTS[config.SITE];
  return {
    storage: storageOf(config),
    linkTtlSeconds: config.DOWNLOAD_LINK_TTL_SECONDS,
    maxPackageBytes: config.MAX_PACKAGE_BYTES,
    codeHost: {
      url: config.CODE_HOST_URL ?? host.url,
      apiUrl: config.CODE_HOST_API_URL ?? host.apiUrl,
      token: config.CODE_HOST_TOKEN,
      repositories: config.RELEASE_REPOSITORIES,
      pollSeconds: config.RELEASE_POLL_SECONDS,
    },
    sitemapPages: config.SITEMAP_PAGES,
  };
}
