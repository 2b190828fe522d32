import { type Site } from '@inference/config';
import { z } from 'zod';
import { type CodeHostConfig } from '../config.catalogue';
import { askCodeHost, type CodeHostAnswer, CodeHostFailure } from './code-host-request';
import { type FollowedRelease } from './followed-repositories';
import {
  contentTypeOf,
  downloadUrlFault,
  isFileName,
  isMediaType,
  MAX_ASSETS,
  normalUrl,
  type ReleaseAsset,
} from './release-asset';
import { hasPrereleasePart, isReleaseTag, sortReleases } from './release-tag';

const PER_PAGE = 100;
const MAX_PAGES = 10;
/** Of one answer, from a host that sends all at once, whatever it was asked for. */
const MAX_ENTRIES = 1_000;
/** Without files a release counts for nothing; the files of the newest ones may still be on their way up. */
const MAX_LOOKED_AT = 10;
const MAX_NAME_CHARS = 200;
const MAX_FILE_NAME_CHARS = 255;
const MAX_URL_CHARS = 4_000;
const MAX_REASON_CHARS = 300;
/** What its clock may be ahead. */
const MAX_SKEW_MILLIS = 86_400_000;
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}]+/gu;

/** What a code host has published: the release that counts there, null without any. */
export interface HostReading {
  /** Undefined when it is still as the entity tag stands for. */
  release: FollowedRelease | null | undefined;
  /** Null when no entity tag stands for everything that was read. */
  etag: string | null;
  notBefore: Date | null;
}

/** One release of the list; its files are looked at only when it counts. */
interface Listed {
  id: number;
  tag: string;
  draft: boolean;
  prerelease: boolean;
  name: string;
  publishedAt: Date;
  assets: unknown;
}

/** One kind of code host. */
interface Wire {
  headers(token: string | undefined): Record<string, string>;
  listQuery: string;
  /** Whether the list tells all that there is to know of the files. */
  listTellsFiles: boolean;
  list: z.ZodType<Listed[]>;
  /** Of a release; `ask` gets what lies below the repository. */
  assets(listed: Listed, ask: (path: string) => Promise<unknown[]>): Promise<unknown>;
  asset: z.ZodType<HostAsset>;
}

interface HostAsset {
  name: string;
  url: string;
  size: number;
  type: string | null;
  isUploaded: boolean;
}

const time = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine(
    (date) => date.getTime() >= 0 && date.getTime() <= Date.now() + MAX_SKEW_MILLIS,
    'must be a time since 1970 and not in the future',
  );
/** Only its looks depend on it. */
const title = z
  .string()
  .nullish()
  .transform((text) =>
    Array.from((text ?? '').replace(UNPRINTABLE, ' ').trim())
      .slice(0, MAX_NAME_CHARS)
      .join(''),
  );
const fileName = z
  .string()
  .max(MAX_FILE_NAME_CHARS, 'is too long')
  .refine(isFileName, 'must be the name of a file');
const fileUrl = z.string().max(MAX_URL_CHARS, 'is too long');
const fileSize = z
  .number()
  .refine((size) => Number.isSafeInteger(size) && size >= 0, 'must be a number of bytes');

const GITHUB: Wire = {
  headers: (token) => ({
    Accept: 'application/vnd.github+json',
    'X-GitHub-Api-Version': '2022-11-28',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  }),
  listQuery: '',
  listTellsFiles: true,
  list: z.array(
    z
      .object({
        id: z.number(),
        tag_name: z.string(),
        draft: z.boolean(),
        prerelease: z.boolean(),
        name: title,
        /** Null in a draft. */
        published_at: time.nullable(),
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
      name: fileName,
      browser_download_url: fileUrl,
      size: fileSize,
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

/** Gitee's list has no drafts, no sizes, and names the archives of the sources among the files. */
const GITEE: Wire = {
  headers: (token) => ({
    Accept: 'application/json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  }),
  listQuery: '&direction=desc',
  listTellsFiles: false,
  list: z.array(
    z
      .object({ id: z.int(), tag_name: z.string(), prerelease: z.boolean(), name: title, created_at: time })
      .transform(({ tag_name: tag, created_at: publishedAt, ...rest }) => ({
        ...rest,
        tag,
        draft: false,
        publishedAt,
        assets: undefined,
      })),
  ),
  assets: ({ id }, ask) => ask(`/releases/${id}/attach_files`),
  asset: z
    .object({ name: fileName, browser_download_url: fileUrl, size: fileSize })
    .transform(({ name, browser_download_url: url, size }) => ({
      name,
      url,
      size,
      type: null,
      isUploaded: true,
    })),
};

const WIRES: Record<Site, Wire> = { intl: GITHUB, cn: GITEE };

/** Counted before any of them is looked at. */
const listOf = <T>(entry: z.ZodType<T>, max: number) =>
  z
    .custom<unknown[]>(
      (value) => Array.isArray(value) && value.length <= max,
      `must be a list of at most ${max}`,
    )
    .pipe(z.array(entry));

function shaped<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  const reason = `the code host's answer has another shape: ${path.map(String).join('.')}: ${message}`;
  throw new CodeHostFailure(reason.slice(0, MAX_REASON_CHARS));
}

/** The site's code host: GitHub's API at intl, Gitee's (v5) at cn. */
export class CodeHost {
  private readonly wire: Wire;

  constructor(
    private readonly config: CodeHostConfig,
    site: Site,
    /** How long each request may take; 10 seconds unless told. */
    private readonly answerMillis?: number,
  ) {
    this.wire = WIRES[site];
  }

  /**
   * The newest release with files of a repository, by the rule of the published ones; tags that are no versions do not
   * count. With the entity tag of an earlier reading, what is unchanged need not be sent again. Throws a CodeHostFailure,
   * also when there are releases and none has files, or what `signal` was aborted with.
   */
  async readLatest(repository: string, etag: string | null, signal: AbortSignal): Promise<HostReading> {
    const ask = (path: string, page: number, more: Record<string, string> = {}) =>
      this.ask(`/repos/${repository}${path}`, page, more, signal);
    const first = await ask('/releases', 1, etag === null ? {} : { 'If-None-Match': etag });
    const { notBefore } = first;
    if (first.body === undefined) return { release: undefined, etag, notBefore };
    const pages = await this.readPages(first, (page) => ask('/releases', page));
    const listed = shaped(this.wire.list, pages.flat()).filter(
      ({ draft, tag }) => !draft && isReleaseTag(tag),
    );
    const release = await this.firstWithFiles(sortReleases(listed), async (path) =>
      (await this.readPages(await ask(path, 1), (page) => ask(path, page))).flat(),
    );
    const isAllTagged = this.wire.listTellsFiles && pages.length === 1;
    return { release, etag: isAllTagged ? first.etag : null, notBefore };
  }

  private ask(
    path: string,
    page: number,
    more: Record<string, string>,
    signal: AbortSignal,
  ): Promise<CodeHostAnswer> {
    const { apiUrl, token } = this.config;
    const query = `per_page=${PER_PAGE}&page=${page}${this.wire.listQuery}`;
    const headers = { 'User-Agent': 'inference-platform', ...this.wire.headers(token), ...more };
    return askCodeHost(`${apiUrl}${path}?${query}`, headers, signal, this.answerMillis);
  }

  /** All pages of a list, of which the first is there already. */
  private async readPages(
    first: CodeHostAnswer,
    ask: (page: number) => Promise<CodeHostAnswer>,
  ): Promise<unknown[][]> {
    const pages: unknown[][] = [];
    let answer = first;
    for (;;) {
      const page = shaped(listOf(z.unknown(), MAX_ENTRIES), answer.body);
      pages.push(page);
      const isLast = page.length < PER_PAGE && !answer.hasNextPage;
      if (isLast || pages.length === MAX_PAGES) return pages;
      answer = await ask(pages.length + 1);
    }
  }

  private async firstWithFiles(
    listed: Listed[],
    ask: (path: string) => Promise<unknown[]>,
  ): Promise<FollowedRelease | null> {
    if (listed.length === 0) return null;
    const candidates = listed.slice(0, MAX_LOOKED_AT);
    for (const candidate of candidates) {
      const assets = this.assetsOf(await this.wire.assets(candidate, ask));
      const { tag, name, prerelease, publishedAt } = candidate;
      if (assets.length > 0)
        return {
          tag,
          name: name || tag,
          prerelease: prerelease || hasPrereleasePart(tag),
          assets,
          publishedAt,
        };
    }
    // They are on their way up, or up again: what was there before is better than nothing.
    throw new CodeHostFailure(`none of the newest releases (${candidates.length}) has complete files`);
  }

  private assetsOf(entries: unknown): ReleaseAsset[] {
    const files = shaped(listOf(this.wire.asset, MAX_ASSETS), entries).filter(({ isUploaded }) => isUploaded);
    if (new Set(files.map(({ name }) => name)).size < files.length)
      throw new CodeHostFailure('two files of a release have the same name');
    return files.map(({ name, url, size, type }, index) => {
      const fault = downloadUrlFault(url, this.config.url);
      if (fault !== null) throw new CodeHostFailure(`the address of file ${index} ${fault}`);
      const contentType = type !== null && isMediaType(type) ? type : contentTypeOf(name);
      return { name, url: normalUrl(url), size, content_type: contentType };
    });
  }
}
