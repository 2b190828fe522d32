import { type Site } from '@inference/config';
import { z } from 'zod';
import { type CodeHostConfig } from '../../catalogue.config';
import {
  contentTypeOf,
  downloadUrlFault,
  isMediaType,
  MAX_ASSETS,
  normalizeUrl,
  type ReleaseAsset,
} from '../release-asset';
import { hasPrereleasePart, isReleaseTag, sortReleases } from '../release-tag';
import { type CodeHostApi, GITEE, GITHUB, type ListedRelease } from './code-host-api';
import { CodeHostError, type CodeHostResponse, requestCodeHost } from './code-host-request';

/** The largest page size of both code hosts. */
const PER_PAGE = 100;
const MAX_PAGES = 10;
/** Entries of one response. A host may ignore the requested page size and send everything at once. */
const MAX_ENTRIES = 1_000;
/** Releases searched for files. The files of the newest ones may still be uploading. */
const MAX_CANDIDATES = 10;
const MAX_REASON_CHARS = 300;

const API_OF_SITE: Record<Site, CodeHostApi> = { intl: GITHUB, cn: GITEE };

/** A release as the code host has published it. */
export interface CodeHostRelease {
  tag: string;
  name: string;
  prerelease: boolean;
  assets: ReleaseAsset[];
  publishedAt: Date;
}

export interface LatestReleaseResult {
  /** Null if there is no release; undefined if it is unchanged since the given entity tag. */
  release: CodeHostRelease | null | undefined;
  /** Null if no entity tag covers everything that was read. */
  etag: string | null;
  /** The code host accepts no request before this time. */
  notBefore: Date | null;
}

/** A list of at most `max` entries. The length is checked before any entry is parsed. */
const listOf = <T>(entry: z.ZodType<T>, max: number) =>
  z
    .custom<unknown[]>(
      (value) => Array.isArray(value) && value.length <= max,
      `must be a list of at most ${max}`,
    )
    .pipe(z.array(entry));

/** Throws a CodeHostError that names the first fault. */
function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0]!;
  const reason = `the code host's answer has another shape: ${path.map(String).join('.')}: ${message}`;
  throw new CodeHostError(reason.slice(0, MAX_REASON_CHARS));
}

/** Client of the site's code host: GitHub for the intl site, Gitee for the cn site. */
export class CodeHost {
  private readonly api: CodeHostApi;

  constructor(
    private readonly config: CodeHostConfig,
    site: Site,
    /** Time limit of each request; 10 seconds by default. */
    private readonly timeoutMillis?: number,
  ) {
    this.api = API_OF_SITE[site];
  }

  /**
   * Reads the newest release of a repository that has files, by the order of published releases. Tags that are no versions
   * are ignored. With the entity tag of an earlier call an unchanged list is not sent again. Throws a CodeHostError, also
   * if there are releases but none has files, or the reason with which `signal` was aborted.
   */
  async readLatest(
    repository: string,
    etag: string | null,
    signal: AbortSignal,
  ): Promise<LatestReleaseResult> {
    const request = (path: string, page: number, headers: Record<string, string> = {}) =>
      this.request(`/repos/${repository}${path}`, page, headers, signal);
    const first = await request('/releases', 1, etag === null ? {} : { 'If-None-Match': etag });
    const { notBefore } = first;
    if (first.body === undefined) return { release: undefined, etag, notBefore };
    const pages = await this.readPages(first, (page) => request('/releases', page));
    const listed = parseBody(this.api.list, pages.flat()).filter(
      ({ draft, tag }) => !draft && isReleaseTag(tag),
    );
    const release = await this.findWithFiles(sortReleases(listed), async (path) =>
      (await this.readPages(await request(path, 1), (page) => request(path, page))).flat(),
    );
    const coversEverything = this.api.isListWithFiles && pages.length === 1;
    return { release, etag: coversEverything ? first.etag : null, notBefore };
  }

  private request(
    path: string,
    page: number,
    extraHeaders: Record<string, string>,
    signal: AbortSignal,
  ): Promise<CodeHostResponse> {
    const { apiUrl, token } = this.config;
    const query = `per_page=${PER_PAGE}&page=${page}${this.api.listQuery}`;
    const headers = { 'User-Agent': 'inference-platform', ...this.api.headers(token), ...extraHeaders };
    return requestCodeHost(`${apiUrl}${path}?${query}`, headers, signal, this.timeoutMillis);
  }

  /** Reads the remaining pages of a list and returns all of them, at most ten. */
  private async readPages(
    first: CodeHostResponse,
    requestPage: (page: number) => Promise<CodeHostResponse>,
  ): Promise<unknown[][]> {
    const pages: unknown[][] = [];
    let response = first;
    for (;;) {
      const page = parseBody(listOf(z.unknown(), MAX_ENTRIES), response.body);
      pages.push(page);
      const isLast = page.length < PER_PAGE && !response.hasNextPage;
      if (isLast || pages.length === MAX_PAGES) return pages;
      response = await requestPage(pages.length + 1);
    }
  }

  private async findWithFiles(
    listed: ListedRelease[],
    request: (path: string) => Promise<unknown[]>,
  ): Promise<CodeHostRelease | null> {
    if (listed.length === 0) return null;
    const candidates = listed.slice(0, MAX_CANDIDATES);
    for (const candidate of candidates) {
      const assets = this.assetsOf(await this.api.assets(candidate, request));
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
    // The files are probably being uploaded. An error keeps the release that was published before.
    throw new CodeHostError(`none of the newest releases (${candidates.length}) has complete files`);
  }

  private assetsOf(entries: unknown): ReleaseAsset[] {
    const files = parseBody(listOf(this.api.asset, MAX_ASSETS), entries).filter(
      ({ isUploaded }) => isUploaded,
    );
    if (new Set(files.map(({ name }) => name)).size < files.length)
      throw new CodeHostError('two files of a release have the same name');
    return files.map(({ name, url, size, type }, index) => {
      const fault = downloadUrlFault(url, this.config.url);
      if (fault !== null) throw new CodeHostError(`the address of file ${index} ${fault}`);
      const contentType = type !== null && isMediaType(type) ? type : contentTypeOf(name);
      return { name, url: normalizeUrl(url), size, content_type: contentType };
    });
  }
}
