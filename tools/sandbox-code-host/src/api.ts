import { createHash } from 'node:crypto';
import { type IncomingHttpHeaders } from 'node:http';
import {
  API_ROOTS,
  giteeFile,
  giteeRelease,
  githubRelease,
  type HostName,
  type Place,
} from './repositories/release-formats';
import { type Repositories } from './repositories/repositories';

const DEFAULT_PER_PAGE = { github: 30, gitee: 20 };
const MAX_PER_PAGE = 100;
const PATH = /^\/repos\/([^/]+\/[^/]+)\/releases(?:\/(\d+)\/attach_files)?$/;

export type ApiCall = 'releases' | 'attach_files';

/** A parsed call of a host's API. */
export interface ApiRequest {
  host: HostName;
  call: ApiCall;
  repository: string;
  /** Id of the release whose files are requested; null for a list of releases. */
  releaseId: number | null;
  page: number;
  perPage: number;
}

export interface ApiAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Returns null for a path outside of the APIs, and undefined for an API call that the sandbox does not implement. */
export function readApiRequest(url: URL): ApiRequest | null | undefined {
  const found = Object.entries(API_ROOTS).find(([, root]) => url.pathname.startsWith(`${root}/`));
  if (!found) return null;
  const [name, root] = found as [HostName, string];
  const match = PATH.exec(url.pathname.slice(root.length));
  if (!match || (match[2] !== undefined && name === 'github')) return undefined;
  const number = (parameter: string, otherwise: number) =>
    Number(url.searchParams.get(parameter) ?? otherwise);
  return {
    host: name,
    call: match[2] === undefined ? 'releases' : 'attach_files',
    repository: decodeURIComponent(match[1]!),
    releaseId: match[2] === undefined ? null : Number(match[2]),
    page: Math.max(1, number('page', 1)),
    perPage: Math.min(Math.max(1, number('per_page', DEFAULT_PER_PAGE[name])), MAX_PER_PAGE),
  };
}

/** Gitee takes it as a parameter as well. */
export function bringsToken(token: string, host: HostName, url: URL, headers: IncomingHttpHeaders): boolean {
  if (host === 'gitee' && url.searchParams.get('access_token') === token) return true;
  return ['Bearer', 'token'].some((scheme) => headers.authorization === `${scheme} ${token}`);
}

/** A page of a list, as the host answers it, or 404. */
export function answerApi(
  repositories: Repositories,
  origin: string,
  request: ApiRequest,
  url: URL,
  ifNoneMatch: string | undefined,
): ApiAnswer {
  const all = entriesOf(repositories, origin, request);
  if (!all) return json(404, { message: 'Not Found' });
  const { page, perPage, host } = request;
  const answer = json(200, all.slice((page - 1) * perPage, page * perPage));
  const etag = `W/"${createHash('sha256').update(answer.body).digest('hex')}"`;
  const pages = Math.ceil(all.length / perPage);
  Object.assign(answer.headers, { ETag: etag }, pageHeaders(host, url, origin, page, pages, all.length));
  if (ifNoneMatch !== etag) return answer;
  return { status: 304, headers: { ETag: etag }, body: '' };
}

export function json(status: number, body: unknown): ApiAnswer {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
  };
}

function entriesOf(repositories: Repositories, origin: string, request: ApiRequest): object[] | undefined {
  const { host, call, repository, releaseId } = request;
  const releases = repositories.find(repository);
  const place: Place = { host, repository, origin };
  if (host === 'github') return releases?.map((release) => githubRelease(place, release));
  const shown = releases?.filter(({ draft }) => !draft);
  if (call === 'releases') return shown?.map((release) => giteeRelease(place, release));
  const release = shown?.find(({ id }) => id === releaseId);
  return release?.assets
    .filter(({ state }) => state === 'uploaded')
    .map((asset, index) => giteeFile(place, release, asset, index));
}

/** GitHub links the other pages; Gitee counts them. */
function pageHeaders(
  host: HostName,
  url: URL,
  origin: string,
  page: number,
  pages: number,
  count: number,
): Record<string, string> {
  if (host === 'gitee') return { total_count: String(count), total_page: String(pages) };
  if (page >= pages) return {};
  const to = (number: number, relation: string) => {
    const target = new URL(url.pathname + url.search, origin);
    target.searchParams.set('page', String(number));
    return `<${target.href}>; rel="${relation}"`;
  };
  return { Link: [to(page + 1, 'next'), to(pages, 'last')].join(', ') };
}
