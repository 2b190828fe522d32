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
  normalUrl,
  type ReleaseAsset,
} from './release-asset';
import { hasPrereleasePart, isReleaseTag, sortReleases } from './release-tag';

const PER_PAGE = 100;
const MAX_PAGES = 10;
/** Without files a release counts for nothing; the files of the newest ones may still be on their way up. */
const MAX_LOOKED_AT = 10;
const MAX_NAME_CHARS = 200;
const MAX_FILE_NAME_CHARS = 255;
const MAX_URL_CHARS = 4_000;
const MAX_REASON_CHARS = 300;
const UNPRINTABLE = /[\p{Cc}\p{Surrogate}]+/gu;

/** What a code host has published: the release that counts there, null without any. */
export interface HostReading {
  /** Undefined when it is still as the entity tag stands for. */
  release: FollowedRelease | null | undefined;
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

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
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
  ) {
    this.wire = WIRES[site];
  }

  /**
   * The newest release with files of a repository, by the rule of the published ones; tags that are no versions do not
   * count. With the entity tag of the list's first page, which is where new releases appear, an unchanged list need not
   * be sent again. Throws a CodeHostFailure, or what `signal` was aborted with.
   */
  async readLatest(repository: string, etag: string | null, signal: AbortSignal): Promise<HostReading> {
    const ask = (path: string, page: number, more: Record<string, string> = {}) =>
      this.ask(`/repos/${repository}${path}`, page, more, signal);
    const first = await ask('/releases', 1, etag === null ? {} : { 'If-None-Match': etag });
    const { notBefore } = first;
    if (first.body === undefined) return { release: undefined, etag, notBefore };
    const entries = await this.readList(first, (page) => ask('/releases', page));
    const listed = shaped(this.wire.list, entries).filter(({ draft, tag }) => !draft && isReleaseTag(tag));
    const release = await this.firstWithFiles(sortReleases(listed), async (path) =>
      this.readList(await ask(path, 1), (page) => ask(path, page)),
    );
    return { release, etag: first.etag, notBefore };
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
    return askCodeHost(`${apiUrl}${path}?${query}`, headers, signal);
  }

  /** All pages of a list, of which the first is there already. */
  private async readList(
    first: CodeHostAnswer,
    ask: (page: number) => Promise<CodeHostAnswer>,
  ): Promise<unknown[]> {
    const entries: unknown[] = [];
    let answer = first;
    for (let page = 1; ; answer = await ask(++page)) {
      const added = shaped(z.array(z.unknown()), answer.body);
      entries.push(...added);
      const isLast = added.length === 0 || (added.length < PER_PAGE && !answer.hasNextPage);
      if (isLast || page === MAX_PAGES) return entries;
    }
  }

  private async firstWithFiles(
    listed: Listed[],
    ask: (path: string) => Promise<unknown[]>,
  ): Promise<FollowedRelease | null> {
    for (const candidate of listed.slice(0, MAX_LOOKED_AT)) {
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
    if (listed.length <= MAX_LOOKED_AT) return null;
    throw new CodeHostFailure(`none of the newest ${MAX_LOOKED_AT} releases has files`);
  }

  private assetsOf(entries: unknown): ReleaseAsset[] {
    const files = shaped(z.array(this.wire.asset), entries).filter(({ isUploaded }) => isUploaded);
    return files.map(({ name, url, size, type }, index) => {
      const fault = downloadUrlFault(url, this.config.url);
      if (fault !== null) throw new CodeHostFailure(`the address of file ${index} ${fault}`);
      const contentType = type !== null && isMediaType(type) ? type : contentTypeOf(name);
      return { name, url: normalUrl(url), size, content_type: contentType };
    });
  }
}
