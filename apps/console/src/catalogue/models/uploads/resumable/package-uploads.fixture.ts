import { createHash } from 'node:crypto';
import { rememberAnswer, rememberRequest, sendRequest, waitFor } from '@inference/testing';
import { type Answer, type SignedIn } from '../../../../testing/console.fixture';
import { type UploadResponse } from './package-uploads.dto';

const UPLOADS = '/api/admin/package-uploads';

export const hexOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
export const digestHeader = (content: string | Buffer) =>
  `sha-256=:${createHash('sha256').update(content).digest('base64')}:`;

/** Sends an admin's requests about uploads in parts to a console. */
export class UploadClient {
  constructor(
    private readonly url: string,
    private readonly admin: SignedIn,
  ) {}

  begin(body: object): Promise<Answer> {
    return this.request('POST', '', body);
  }

  /** Begins an upload of this content and returns its id. */
  async beginOf(slug: string, version: string, content: Buffer, own: object = {}): Promise<string> {
    const { status, body, text } = await this.begin({ slug, version, size_bytes: content.length, ...own });
    if (status !== 201) throw new Error(`The upload of ${slug} did not begin: ${status} ${text}`);
    return (body as UploadResponse).id;
  }

  list(): Promise<Answer> {
    return this.request('GET', '');
  }

  read(id: string): Promise<Answer> {
    return this.request('GET', `/${id}`);
  }

  part(
    id: string,
    number: number | string,
    content: Buffer,
    digest = digestHeader(content),
  ): Promise<Answer> {
    return this.send('PUT', `/${id}/parts/${number}`, content, { 'Content-Digest': digest });
  }

  /** Sends these parts of the content, all by default. */
  async sendParts(id: string, content: Buffer, numbers?: number[]): Promise<void> {
    const { part_bytes: partBytes, parts } = (await this.read(id)).body as UploadResponse;
    for (const number of numbers ?? Array.from({ length: parts }, (_, index) => index + 1)) {
      const { status, text } = await this.part(
        id,
        number,
        content.subarray((number - 1) * partBytes, number * partBytes),
      );
      if (status !== 204) throw new Error(`Part ${number} was not stored: ${status} ${text}`);
    }
  }

  complete(id: string): Promise<Answer> {
    return this.request('POST', `/${id}/complete`);
  }

  discard(id: string): Promise<Answer> {
    return this.request('DELETE', `/${id}`);
  }

  /** Resolves when the upload is complete or has failed. */
  async result(id: string, timeoutMillis?: number): Promise<UploadResponse> {
    return waitFor(async () => {
      const { body } = await this.read(id);
      const upload = body as UploadResponse;
      return (upload.state === 'complete' || upload.state === 'failed') && upload;
    }, timeoutMillis);
  }

  private request(method: string, path: string, body?: object): Promise<Answer> {
    const headers = { 'Content-Type': 'application/json' };
    return body === undefined
      ? this.send(method, path)
      : this.send(method, path, JSON.stringify(body), headers);
  }

  private async send(
    method: string,
    path: string,
    content?: string | Buffer,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const sent = { Authorization: `Bearer ${this.admin.token}`, ...headers };
    rememberRequest(path, sent);
    const answer = await sendRequest(this.url, method, `${UPLOADS}${path}`, {
      headers: sent,
      ...(content !== undefined && { content }),
    });
    rememberAnswer(answer.headers, answer.body);
    return answer;
  }
}
