import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { describeWithSwift, SwiftServer, waitFor } from '@inference/testing';
import { StorageUnavailableError } from './object-storage';
import { type S3Config } from './storage.config';
import { createS3Client, S3_TIMEOUTS, S3Storage } from './s3-storage';

const KEY = 'pkg_linked';
const OTHER_KEY = 'pkg_other';
const FILE_NAME = '模型 "7B" v1.gguf';
const CONTENT = randomBytes(300_000);

/** Parses the format 20260102T030405Z. */
function aSecondAfter(date: string): string {
  const iso = date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
  return new Date(Date.parse(iso) + 1_000).toISOString().replace(/-|:|\.000/g, '');
}

describeWithSwift('a link to an object of S3', () => {
  let swift: SwiftServer;
  let config: S3Config;
  let storage: S3Storage;

  beforeAll(async () => {
    swift = await SwiftServer.start();
    config = swift.config('packages');
    storage = new S3Storage(config);
    const client = createS3Client(config, config.endpoint, S3_TIMEOUTS);
    await client.send(new CreateBucketCommand({ Bucket: config.bucket }));
    client.destroy();
    for (const key of [KEY, OTHER_KEY]) await storage.write(key, Readable.from([CONTENT]), CONTENT.length);
  });

  afterAll(async () => {
    storage?.onApplicationShutdown();
    await swift?.stop();
  });

  const link = (by = storage, expiresInSeconds = 900) =>
    by.link(KEY, { fileName: FILE_NAME, expiresInSeconds });

  /** Reads the whole response: Swift quotes the forged signature, never the valid one. */
  async function open(
    url: string,
    init?: RequestInit,
  ): Promise<{ status: number; headers: Headers; body: Buffer }> {
    const response = await fetch(url, init);
    return {
      status: response.status,
      headers: response.headers,
      body: Buffer.from(await response.arrayBuffer()),
    };
  }

  async function altered(change: (parameters: URLSearchParams, url: URL) => void): Promise<string> {
    const url = new URL(await link());
    change(url.searchParams, url);
    return url.href;
  }

  it('sends the file with its name', async () => {
    const { status, headers, body } = await open(await link());
    expect(status).toBe(200);
    expect(body.equals(CONTENT)).toBe(true);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-length': String(CONTENT.length),
      'content-type': 'application/octet-stream',
      'content-disposition':
        'attachment; filename="?? \\"7B\\" v1.gguf"; filename*=UTF-8\'\'%E6%A8%A1%E5%9E%8B%20%227B%22%20v1.gguf',
    });
  });

  it('supports ranges', async () => {
    const { status, headers, body } = await open(await link(), { headers: { range: 'bytes=1000-200000' } });
    expect(status).toBe(206);
    expect(headers.get('content-range')).toBe(`bytes 1000-200000/${CONTENT.length}`);
    expect(body.equals(CONTENT.subarray(1_000, 200_001))).toBe(true);
    const rest = await open(await link(), { headers: { range: 'bytes=299990-' } });
    expect([rest.status, rest.body.equals(CONTENT.subarray(299_990))]).toEqual([206, true]);
  });

  it('answers 416 to a range outside the file', async () => {
    const { status } = await open(await link(), { headers: { range: `bytes=${CONTENT.length}-` } });
    expect(status).toBe(416);
  });

  it('contains a signature, its expiry and the response headers', async () => {
    const parameters = new URL(await link()).searchParams;
    expect([...parameters.keys()].sort()).toEqual([
      'X-Amz-Algorithm',
      'X-Amz-Content-Sha256',
      'X-Amz-Credential',
      'X-Amz-Date',
      'X-Amz-Expires',
      'X-Amz-Signature',
      'X-Amz-SignedHeaders',
      'response-content-disposition',
      'response-content-type',
      'x-id',
    ]);
    expect(parameters.get('X-Amz-Expires')).toBe('900');
  });

  it('uses the public URL of the server', async () => {
    const publicEndpoint = config.endpoint!.replace('127.0.0.1', 'localhost');
    const url = await link(new S3Storage({ ...config, endpoint: 'http://127.0.0.1:1', publicEndpoint }));
    expect(url.startsWith(`${publicEndpoint}/packages/${KEY}?`)).toBe(true);
    expect((await open(url)).body.equals(CONTENT)).toBe(true);
    // The host name is signed too.
    expect((await open(url.replace('localhost', '127.0.0.1'))).status).toBe(403);
  });

  it('expires', async () => {
    const url = await link(storage, 1);
    await waitFor(async () => (await fetch(url)).status === 403);
    expect((await open(url)).body.toString()).toContain('Request has expired');
    expect((await open(await link())).status).toBe(200);
  });

  it.each<[string, (parameters: URLSearchParams, url: URL) => void]>([
    ['signature', (parameters) => parameters.set('X-Amz-Signature', 'a'.repeat(64))],
    ['life', (parameters) => parameters.set('X-Amz-Expires', '901')],
    ['date', (parameters) => parameters.set('X-Amz-Date', aSecondAfter(parameters.get('X-Amz-Date')!))],
    ['name', (parameters) => parameters.set('response-content-disposition', 'inline')],
    ['type', (parameters) => parameters.set('response-content-type', 'text/html')],
    ['type, left out', (parameters) => parameters.delete('response-content-type')],
    ['object', (_parameters, url) => (url.pathname = `/packages/${OTHER_KEY}`)],
  ])('is refused with a changed %s', async (name, change) => {
    const { status, body } = await open(await altered(change));
    expect([name, status]).toEqual([name, 403]);
    expect(body.toString()).toContain('SignatureDoesNotMatch');
  });

  it('is refused if it is signed with another secret', async () => {
    const credentials = { ...config.credentials!, secretAccessKey: 'another' };
    const { status, body } = await open(await link(new S3Storage({ ...config, credentials })));
    expect([status, body.includes('SignatureDoesNotMatch')]).toEqual([403, true]);
  });

  it.each(['PUT', 'DELETE'])('does not permit %s', async (method) => {
    const { status } = await open(await link(), {
      method,
      ...(method === 'DELETE' ? {} : { body: 'changed' }),
    });
    expect(status).toBe(403);
    expect((await open(await link())).body.equals(CONTENT)).toBe(true);
  });

  it('is the only access without credentials', async () => {
    const unsigned = await open(await altered((parameters) => parameters.delete('X-Amz-Signature')));
    expect(unsigned.status).toBe(403);
    // A request without S3 headers uses Swift's own protocol, which has other paths.
    const { origin } = new URL(config.endpoint!);
    expect((await open(`${origin}/packages/${KEY}`)).status).toBe(400);
    expect((await open(`${origin}/v1/AUTH_test/packages/${KEY}`)).status).toBe(401);
  });

  it('is 404 after the object was removed', async () => {
    const url = await storage.link('pkg_absent', { fileName: 'a', expiresInSeconds: 60 });
    expect((await open(url)).status).toBe(404);
  });

  it('cannot be created without credentials', async () => {
    const before = { ...process.env };
    // The AWS SDK searches all its sources of credentials and finds none.
    Object.assign(process.env, {
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_CONFIG_FILE: '/nonexistent',
      AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
    });
    try {
      const linking = link(new S3Storage({ ...config, credentials: undefined }));
      await expect(linking).rejects.toThrow(StorageUnavailableError);
      Object.assign(process.env, {
        AWS_ACCESS_KEY_ID: config.credentials!.accessKeyId,
        AWS_SECRET_ACCESS_KEY: config.credentials!.secretAccessKey,
      });
      expect((await open(await link(new S3Storage({ ...config, credentials: undefined })))).status).toBe(200);
    } finally {
      process.env = before;
    }
  });
});
