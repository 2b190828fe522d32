import { z } from 'zod';
import { isFileName } from '../release-format/release-asset';

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

export const timeField = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine(
    (date) => date.getTime() >= 0 && date.getTime() <= Date.now() + MAX_CLOCK_SKEW_MILLIS,
    'must be a time since 1970 and not in the future',
  );

/** A title is only displayed, so it is cleaned and shortened instead of refused. */
export const titleField = z
  .string()
  .nullish()
  .transform((text) =>
    Array.from((text ?? '').replace(UNPRINTABLE, ' ').trim())
      .slice(0, MAX_NAME_CHARS)
      .join(''),
  );

export const fileNameField = z
  .string()
  .max(MAX_FILE_NAME_CHARS, 'is too long')
  .refine(isFileName, 'must be the name of a file');

export const fileUrlField = z.string().max(MAX_URL_CHARS, 'is too long');

export const fileSizeField = z
  .number()
  .refine((size) => Number.isSafeInteger(size) && size >= 0, 'must be a number of bytes');
