import { env, type Site } from '@inference/config';
import {
  checkStorage,
  type StorageBackend,
  storageBackendOf,
  storageFields as backendFields,
} from '@inference/storage';
import { z } from 'zod';
import { isPrivateChannel } from '../site.config';
import { type Component, COMPONENTS } from './component';

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

type StorageFields = z.output<z.ZodObject<typeof storageFields>>;

/** Reports settings that contradict the chosen storage or are missing for it. */
export function checkPackageStorage(config: Partial<StorageFields>, context: z.RefinementCtx): void {
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

export function storageOf(config: StorageFields): StorageConfig {
  return {
    backend: storageBackendOf(config),
    linkSecrets: config.DOWNLOAD_LINK_SECRETS ?? [],
    linkTtlSeconds: config.DOWNLOAD_LINK_TTL_SECONDS,
    maxPackageBytes: config.MAX_PACKAGE_BYTES,
  };
}

export const CODE_HOST_CONFIG = Symbol('CODE_HOST_CONFIG');

const DEFAULT_CODE_HOSTS: Record<Site, { url: string; apiUrl: string }> = {
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

export const codeHostFields = {
  /** Repositories whose releases are followed, as JSON `{component: "owner/repository"}`; none by default. */
  RELEASE_REPOSITORIES: env
    .json(
      z.partialRecord(
        z.enum(COMPONENTS),
        z.string('must be a text').regex(REPOSITORY, 'must be owner/repository'),
        `must be an object with some of ${COMPONENTS.join(', ')}`,
      ),
    )
    .default({}),
  /** Origin of the release files. By default GitHub on the intl site and Gitee on the cn site. */
  CODE_HOST_URL: env.httpUrl().optional(),
  /** Base URL of the code host's API. Required with `CODE_HOST_URL` if repositories are followed. */
  CODE_HOST_API_URL: privateUrl().optional(),
  /** Access token for the code host's API. Without it requests are anonymous. */
  CODE_HOST_TOKEN: z.string().optional(),
  /** Interval between two requests for the releases of one repository, in seconds. */
  RELEASE_POLL_SECONDS: env.integer(10, 86_400).default(300),
};

type CodeHostFields = z.output<z.ZodObject<typeof codeHostFields>>;

/** A code host other than the site's default needs the URL of its API too. */
export function checkCodeHost(config: Partial<CodeHostFields>, context: z.RefinementCtx): void {
  const { RELEASE_REPOSITORIES: repositories, CODE_HOST_URL: url, CODE_HOST_API_URL: apiUrl } = config;
  const follows = Object.keys(repositories ?? {}).length > 0;
  if (follows && url !== undefined && apiUrl === undefined)
    context.addIssue({
      code: 'custom',
      path: ['CODE_HOST_API_URL'],
      message: 'is missing beside CODE_HOST_URL',
    });
}

/** The code host that holds the release files, and the repositories that are followed there. */
export interface CodeHostConfig {
  /** Its origin is the origin of every release file. */
  url: string;
  apiUrl: string;
  token: string | undefined;
  repositories: Partial<Record<Component, string>>;
  pollSeconds: number;
}

export function codeHostOf(config: CodeHostFields & { SITE: Site }): CodeHostConfig {
  const defaults = DEFAULT_CODE_HOSTS[config.SITE];
  return {
    url: config.CODE_HOST_URL ?? defaults.url,
    apiUrl: config.CODE_HOST_API_URL ?? defaults.apiUrl,
    token: config.CODE_HOST_TOKEN,
    repositories: config.RELEASE_REPOSITORIES,
    pollSeconds: config.RELEASE_POLL_SECONDS,
  };
}

export const SITEMAP_CONFIG = Symbol('SITEMAP_CONFIG');

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

export const sitemapFields = {
  /** Public pages of the console UI that the sitemap lists, as a JSON array of paths. */
  SITEMAP_PAGES: env
    .json(pages)
    .default(['/', '/models', '/packages', '/pricing', '/downloads', '/changelog', '/docs']),
};

/** The part of the sitemap that is not read from the database. */
export interface SitemapConfig {
  /** Paths below the root of the console UI. */
  pages: string[];
}

export function sitemapOf(config: { SITEMAP_PAGES: string[] }): SitemapConfig {
  return { pages: config.SITEMAP_PAGES };
}

export const SITE_METADATA_CONFIG = Symbol('SITE_METADATA_CONFIG');

export const serviceUrlFields = {
  /** URL at which customers reach the gateway. */
  GATEWAY_URL: env.httpUrl(),
  /** URL at which customers reach the training service. */
  TRAINING_URL: env.httpUrl(),
  /** URL at which customers reach the router-cost service. */
  ROUTER_URL: env.httpUrl(),
  /** URL at which customers reach the agent service. */
  AGENT_URL: env.httpUrl(),
  /** URL at which customers reach the memo service. */
  MEMO_URL: env.httpUrl(),
  /** URL at which customers reach the agent environments; not shown by default. */
  ENVIRONMENTS_URL: env.httpUrl().optional(),
};

type SiteMetadataFields = z.output<z.ZodObject<typeof serviceUrlFields>> & {
  SIGNUP: 'open' | 'closed';
  OAUTH_PROVIDERS: { name: string }[];
  GATEWAY_CREDENTIAL?: string | undefined;
  AGENT_CREDENTIAL?: string | undefined;
};

/** What `GET /api/site` says beyond the site's name, region and currency. */
export interface SiteMetadataConfig {
  serviceUrls: {
    gateway: string;
    training: string;
    router: string;
    agent: string;
    memo: string;
    /** Undefined on a site that does not offer them. */
    environments: string | undefined;
  };
  /** What the console offers for the account that is signed in. */
  features: { playground: boolean; agents: boolean };
  signup: 'open' | 'closed';
  oauthProviderNames: string[];
}

export function siteMetadataOf(config: SiteMetadataFields): SiteMetadataConfig {
  return {
    serviceUrls: {
      gateway: config.GATEWAY_URL,
      training: config.TRAINING_URL,
      router: config.ROUTER_URL,
      agent: config.AGENT_URL,
      memo: config.MEMO_URL,
      environments: config.ENVIRONMENTS_URL,
    },
    features: {
      playground: config.GATEWAY_CREDENTIAL !== undefined,
      agents: config.AGENT_CREDENTIAL !== undefined,
    },
    signup: config.SIGNUP,
    oauthProviderNames: config.OAUTH_PROVIDERS.map(({ name }) => name),
  };
}
