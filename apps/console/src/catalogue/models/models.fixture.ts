import { request } from 'node:http';
import { rememberAnswer, rememberRequest } from '@inference/testing';
import { type Answer, type SignedIn, type TestSite } from '../../testing/console.fixture';

const ADMIN_MODELS = '/api/admin/models';

/** Sends an admin's requests about models. */
export class ModelAdmin {
  constructor(
    private readonly site: TestSite,
    readonly admin: SignedIn,
  ) {}

  upload(
    slug: string,
    version: string,
    content: string | Buffer,
    { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    return this.site.console.request('PUT', `${ADMIN_MODELS}/${slug}/packages/${version}${query}`, {
      token: this.admin.token,
      raw: content,
      headers: { 'Content-Type': 'application/octet-stream', ...headers },
    });
  }

  store(slug: string, body: unknown): Promise<Answer> {
    return this.site.console.request('PUT', `${ADMIN_MODELS}/${slug}`, {
      token: this.admin.token,
      json: body,
    });
  }

  remove(slug: string, version: string): Promise<Answer> {
    const path = `${ADMIN_MODELS}/${slug}/packages/${version}`;
    return this.site.console.request('DELETE', path, { token: this.admin.token });
  }

  /** Uploads and publishes a package. */
  async publish(
    slug: string,
    version: string,
    content: string | Buffer = `${slug} ${version}`,
  ): Promise<void> {
    for (const { status, text } of [
      await this.upload(slug, version, content),
      await this.store(slug, { name: slug, version }),
    ])
      if (status >= 300) throw new Error(`${slug} ${version} was not published: ${status} ${text}`);
  }

  read(slug: string): Promise<Answer> {
    return this.site.console.request('GET', `${ADMIN_MODELS}/${slug}`, { token: this.admin.token });
  }

  /** Starts an upload whose body the test sends in pieces. */
  startUpload(url: string, slug: string, version: string, headers: Record<string, string | number>) {
    const sent = {
      Authorization: `Bearer ${this.admin.token}`,
      'Content-Type': 'application/octet-stream',
      ...headers,
    };
    rememberRequest('', { Authorization: sent.Authorization });
    return request(`${url}${ADMIN_MODELS}/${slug}/packages/${version}`, { method: 'PUT', headers: sent });
  }
}

export interface DownloadOptions {
  token?: string;
  query?: string;
  method?: string;
}

/** Requests `/download` without following the redirect. */
export async function startDownload(
  url: string,
  slug: string,
  { token, query = '', method = 'GET' }: DownloadOptions = {},
) {
  const answer = await fetch(`${url}/api/models/${slug}/download${query}`, {
    method,
    redirect: 'manual',
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
  });
  rememberAnswer(answer.headers);
  return {
    status: answer.status,
    headers: answer.headers,
    location: answer.headers.get('location'),
    text: await answer.text(),
  };
}
