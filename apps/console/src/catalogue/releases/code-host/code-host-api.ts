import { z } from 'zod';
import { isFileName } from '../release-asset';

const MAX_NAME_CHARS = 200;
const MAX_FILE_NAME_CHARS = 255;
const MAX_URL_CHARS = 4_000;
/** How far the code host's clock may be ahead. */
const MAX_CLOCK_SKEW_MILLIS = 86_400_000;
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}]+/gu;

/** A release in the code host's list. */
export interface ListedRelease {
  id: number;
  tag: string;
  draft: boolean;
  prerelease: boolean;
  name: string;
  publishedAt: Date;
  /** Not parsed yet: only the files of the selected release are. */
  assets: unknown;
}

export interface CodeHostAsset {
  name: string;
  url: string;
  size: number;
  /** Media type; null if the code host does not report it. */
  type: string | null;
  isUploaded: boolean;
}

/** The release API of one kind of code host. */
export interface CodeHostApi {
  headers(token: string | undefined): Record<string, string>;
  /** Appended to the query of lists. */
  listQuery: string;
  /** True if the list contains the files, so that its entity tag covers them. */
  isListWithFiles: boolean;
  list: z.ZodType<ListedRelease[]>;
  /** Returns the unparsed files of a release. `request` reads a path below the repository. */
  assets(release: ListedRelease, request: (path: string) => Promise<unknown[]>): Promise<unknown>;
  asset: z.ZodType<CodeHostAsset>;
}

const timeField = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine(
    (date) => date.getTime() >= 0 && date.getTime() <= Date.now() + MAX_CLOCK_SKEW_MILLIS,
    'must be a time since 1970 and not in the future',
  );

/** A title is only displayed, so it is cleaned and shortened instead of refused. */
const titleField = z
  .string()
  .nullish()
  .transform((text) =>
    Array.from((text ?? '').replace(UNPRINTABLE, ' ').trim())
      .slice(0, MAX_NAME_CHARS)
      .join(''),
  );

const fileNameField = z
  .string()
  .max(MAX_FILE_NAME_CHARS, 'is too long')
  .refine(isFileName, 'must be the name of a file');

const fileUrlField = z.string().max(MAX_URL_CHARS, 'is too long');

const fileSizeField = z
  .number()
  .refine((size) => Number.isSafeInteger(size) && size >= 0, 'must be a number of bytes');

/**
 * Gitee's API, version 5. Its list has no drafts and no file sizes, and mixes source archives with the files, so the files
 * are requested per release.
 */
export const GITEE: CodeHostApi = {
  headers: (token) => ({
    Accept: 'application/json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  }),
  listQuery: '&direction=desc',
  isListWithFiles: false,
  list: z.array(
    z
      .object({
        id: z.int(),
        tag_name: z.string(),
        prerelease: z.boolean(),
        name: titleField,
        created_at: timeField,
      })
      .transform(({ tag_name: tag, created_at: publishedAt, ...rest }) => ({
        ...rest,
        tag,
        draft: false,
        publishedAt,
        assets: undefined,
      })),
  ),
  assets: ({ id }, request) => request(`/releases/${id}/attach_files`),
  asset: z
    .object({ name: fileNameField, browser_download_url: fileUrlField, size: fileSizeField })
    .transform(({ name, browser_download_url: url, size }) => ({
      name,
      url,
      size,
      type: null,
      isUploaded: true,
    })),
};

/** GitHub's REST API, version 2022-11-28. */
export const GITHUB: CodeHostApi = {
  headers: (token) => ({
    Accept: 'application/vnd.github+json',
    'X-GitHub-Api-Version': '2022-11-28',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  }),
  listQuery: '',
  isListWithFiles: true,
  list: z.array(
    z
      .object({
        id: z.number(),
        tag_name: z.string(),
        draft: z.boolean(),
        prerelease: z.boolean(),
        name: titleField,
        /** Null in a draft. */
        published_at: timeField.nullable(),
        assets: z.unknown(),
      })
      .transform(({ tag_name: tag, published_at: publishedAt, draft, ...rest }) => ({
        ...rest,
        tag,
        draft: draft || publishedAt === null,
        publishedAt: publishedAt ?? new Date(0),
      })),
  ),
  assets: ({ assets }) => Promise.resolve(assets),
  asset: z
    .object({
      name: fileNameField,
      browser_download_url: fileUrlField,
      size: fileSizeField,
      content_type: z.string().nullish(),
      state: z.string(),
    })
    .transform(({ name, browser_download_url: url, size, content_type: type, state }) => ({
      name,
      url,
      size,
      type: type ?? null,
      isUploaded: state === 'uploaded',
    })),
};
