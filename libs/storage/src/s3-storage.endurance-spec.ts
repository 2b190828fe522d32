import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { describeWithSwift, SwiftServer, waitFor } from '@inference/testing';
import { Test } from '@nestjs/testing';
import { type ObjectStorage, partBytesOf, StorageUnavailableError } from './object-storage';
import { openStorage } from './open-storage';
import { type S3Config } from './storage.config';
import { TcpProxy } from './tcp-proxy.fixture';
import { createS3Client, S3_TIMEOUTS, S3Storage } from './s3-storage';

const PART = partBytesOf(0);
const CHUNK = 100_000;
const BUCKET = 'packages';
const IMPATIENT = { connectMillis: 500, idleMillis: 500, completionMillis: 500 };

describe('the parts of an upload', () => {
  it.each([
    ['nothing', 0, 16 * 2 ** 20],
    ['as much as goes into the smallest parts', 10_000 * 16 * 2 ** 20, 16 * 2 ** 20],
    ['a byte more', 10_000 * 16 * 2 ** 20 + 1, 17 * 2 ** 20],
    ['the largest object of all', 5 * 2 ** 40, 525 * 2 ** 20],
  ])('for %s', (_name, sizeBytes, partBytes) => {
    expect(partBytesOf(sizeBytes)).toBe(partBytes);
    expect(sizeBytes / partBytes).toBeLessThanOrEqual(10_000);
  });
});

describeWithSwift('S3 storage', () => {
  let swift: SwiftServer;
  let config: S3Config;
  let storage: S3Storage;
  let client: S3Client;
  const proxies: TcpProxy[] = [];
  let keys = 0;
  const newKey = () => `pkg_${(keys += 1)}`;

  beforeAll(async () => {
    swift = await SwiftServer.start();
    config = swift.config(BUCKET);
    storage = new S3Storage(config);
    client = createS3Client(config, config.endpoint, S3_TIMEOUTS);
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  });

  afterAll(async () => {
    storage?.onApplicationShutdown();
    client?.destroy();
    for (const proxy of proxies) proxy.stop();
    await swift?.stop();
  });

  async function throughProxy(timeouts = S3_TIMEOUTS): Promise<{ proxy: TcpProxy; proxied: S3Storage }> {
    const proxy = await TcpProxy.start(Number(new URL(swift.endpoint).port));
    proxies.push(proxy);
    return { proxy, proxied: new S3Storage({ ...config, endpoint: proxy.url }, timeouts) };
  }

  function* chunksOf(content: Buffer): Generator<Buffer> {
    for (let at = 0; at < content.length; at += CHUNK) yield content.subarray(at, at + CHUNK);
  }

  const sourceOf = (content: Buffer) => Readable.from(chunksOf(content), { objectMode: false });

  async function read(Key: string): Promise<{ content: Buffer; ETag: string | undefined } | undefined> {
    try {
      const { Body, ETag } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
      return { content: Buffer.from(await Body!.transformToByteArray()), ETag };
    } catch (error) {
      if ((error as Error).name === 'NoSuchKey') return undefined;
      throw error;
    }
  }

  async function unfinished(Prefix: string): Promise<(string | undefined)[]> {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: BUCKET, Prefix }));
    return Uploads.map(({ Key }) => Key);
  }

  async function expectNothing(key: string): Promise<void> {
    expect(await read(key)).toBeUndefined();
    expect(await unfinished(key)).toEqual([]);
  }

  it('stores a key with folders, and tells its size', async () => {
    const key = 'usage/2026-01-01/a.b.gz';
    expect(await storage.sizeOf(key)).toBeUndefined();
    await storage.write(key, sourceOf(Buffer.from('one')), 3);
    expect((await read(key))?.content.toString()).toBe('one');
    expect(await storage.sizeOf(key)).toBe(3);
    await storage.remove(key);
  });

  describe('a write', () => {
    it.each([
      ['nothing', 0, /^"[0-9a-f]{32}"$/],
      ['a byte', 1, /^"[0-9a-f]{32}"$/],
      ['just one part', PART, /^"[0-9a-f]{32}"$/],
      ['a byte more than a part', PART + 1, /-2"$/],
      ['just two parts', 2 * PART, /-2"$/],
      ['more than two parts', 2 * PART + 12_345, /-3"$/],
    ])('%s', async (_name, sizeBytes, etag) => {
      const key = newKey();
      const content = randomBytes(sizeBytes);
      await storage.write(key, sourceOf(content), sizeBytes);
      const found = await read(key);
      expect(found?.content.equals(content)).toBe(true);
      expect(found?.ETag).toMatch(etag);
      expect(await unfinished(key)).toEqual([]);
    });

    it('rethrows an error of the source and leaves nothing', async () => {
      const key = newKey();
      const failure = new Error('the client has gone');
      async function* failing() {
        yield* chunksOf(randomBytes(PART + 1));
        await waitFor(async () => (await unfinished(key)).length > 0);
        throw failure;
      }
      await expect(storage.write(key, Readable.from(failing()), 2 * PART)).rejects.toBe(failure);
      await expectNothing(key);
    });

    it('distinguishes a destroyed source from its own failures', async () => {
      const key = newKey();
      const source = new Readable({ read: () => undefined });
      source.push(Buffer.alloc(5));
      const writing = storage.write(key, source, 10);
      source.destroy();
      await expect(writing).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
      await expectNothing(key);
    });

    it.each([
      ['fewer', 9, 'The source ended after 9 of 10 bytes.'],
      ['more', 11, 'The source has more than the announced 10 bytes.'],
    ])('not %s bytes than announced', async (_name, sizeBytes, message) => {
      const key = newKey();
      await expect(storage.write(key, sourceOf(Buffer.alloc(sizeBytes)), 10)).rejects.toThrow(message);
      await expectNothing(key);
    });

    it('does not replace an existing object', async () => {
      const key = newKey();
      await storage.write(key, sourceOf(Buffer.from('first')), 5);
      const source = sourceOf(Buffer.from('other'));
      await expect(storage.write(key, source, 5)).rejects.toThrow(
        `The storage has an object ${key} already.`,
      );
      expect(source.destroyed).toBe(false);
      expect((await read(key))?.content.toString()).toBe('first');
    });

    it('fails when the storage becomes unreachable, keeps the source, and its remains can be removed later', async () => {
      const { proxy, proxied } = await throughProxy();
      const key = newKey();
      async function* cutting() {
        yield* chunksOf(randomBytes(PART + 1));
        await waitFor(async () => (await unfinished(key)).length > 0);
        proxy.stop();
        yield* chunksOf(randomBytes(3 * PART));
      }
      const source = Readable.from(cutting());
      await expect(proxied.write(key, source, 4 * PART + 1)).rejects.toThrow(StorageUnavailableError);
      expect(source.destroyed).toBe(false);
      expect(await unfinished(key)).toEqual([key]);
      await storage.remove(key);
      await expectNothing(key);
    });
  });

  describe('a removal', () => {
    it('removes an object of one or several parts, and succeeds if there is none', async () => {
      for (const sizeBytes of [5, PART + 1]) {
        const key = newKey();
        await storage.write(key, sourceOf(randomBytes(sizeBytes)), sizeBytes);
        await storage.remove(key);
        await expectNothing(key);
        await expect(storage.remove(key)).resolves.toBeUndefined();
      }
    });

    it('aborts unfinished uploads of this object only', async () => {
      const key = newKey();
      for (const Key of [key, `${key}_2`, key])
        await client.send(new CreateMultipartUploadCommand({ Bucket: BUCKET, Key }));
      await storage.remove(key);
      expect(await unfinished(key)).toEqual([`${key}_2`]);
    });
  });

  it('keeps everything under its prefix', async () => {
    const prefixed = new S3Storage({ ...config, prefix: 'site/intl/' });
    const key = newKey();
    await prefixed.write(key, sourceOf(Buffer.from('there')), 5);
    expect((await read(`site/intl/${key}`))?.content.toString()).toBe('there');
    const link = await prefixed.link(key, { fileName: 'a', expiresInSeconds: 60 });
    expect(await (await fetch(link)).text()).toBe('there');
    await prefixed.remove(key);
    await expectNothing(`site/intl/${key}`);
  });

  describe('is unavailable', () => {
    const cases: [string, (config: S3Config) => Partial<S3Config>][] = [
      [
        'with a wrong secret',
        ({ credentials }) => ({ credentials: { ...credentials!, secretAccessKey: 'wrong' } }),
      ],
      [
        'for a stranger',
        ({ credentials }) => ({ credentials: { ...credentials!, accessKeyId: 'test:nobody' } }),
      ],
      ['without its bucket', () => ({ bucket: 'elsewhere' })],
      ['where nobody listens', () => ({ endpoint: 'http://127.0.0.1:1' })],
    ];

    it.each(cases)('%s', async (_name, change) => {
      const broken = new S3Storage({ ...config, ...change(config) });
      const key = newKey();
      const writing = broken.write(key, sourceOf(Buffer.from('hello')), 5);
      await expect(writing).rejects.toThrow(StorageUnavailableError);
      await expect(broken.remove(key)).rejects.toThrow(StorageUnavailableError);
      await expectNothing(key);
    });

    it('gives up after a single attempt if the server does not answer', async () => {
      const { proxy, proxied } = await throughProxy(IMPATIENT);
      proxy.isSilent = true;
      await expect(proxied.write(newKey(), sourceOf(Buffer.alloc(1)), 1)).rejects.toThrow(
        StorageUnavailableError,
      );
      expect(proxy.accepted).toBe(1);
      await expect(proxied.remove(newKey())).rejects.toThrow(StorageUnavailableError);
      expect(proxy.accepted).toBe(2);
    });

    it('waits while the server completes a multipart upload slowly', async () => {
      const { proxy, proxied } = await throughProxy({ ...S3_TIMEOUTS, idleMillis: 5_000 });
      proxy.delay = { text: 'CompleteMultipartUpload', millis: 6_000 };
      const content = Buffer.alloc(17 * 2 ** 20, 'x');
      const key = newKey();
      await proxied.write(key, sourceOf(content), content.length);
      expect((await read(key))?.content.equals(content)).toBe(true);
    });

    it('retries after a broken connection', async () => {
      const { proxy, proxied } = await throughProxy();
      proxy.breakNext = 2;
      await expect(proxied.remove(newKey())).resolves.toBeUndefined();
      expect(proxy.accepted).toBeGreaterThanOrEqual(3);
    });
  });

  it('closes its connections with the application', async () => {
    const proxy = await TcpProxy.start(Number(new URL(swift.endpoint).port));
    proxies.push(proxy);
    const STORAGE = 'storage';
    const storage = openStorage({ s3: { ...config, endpoint: proxy.url } });
    const providers = [{ provide: STORAGE, useFactory: () => storage }];
    const application = await Test.createTestingModule({ providers }).compile();
    await application.get<ObjectStorage>(STORAGE).remove(newKey());
    expect(proxy.open).toBeGreaterThan(0);
    await application.close();
    await waitFor(() => proxy.open === 0);
  });
});
