import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Test } from '@nestjs/testing';
import { waitFor } from '@inference/testing';
import { CONSOLE_CONFIG } from '../config';
import { type S3Config } from '../config.catalogue';
import { OBJECT_STORAGE } from './object-storage';
import { createS3Client, S3_TIMEOUTS } from './s3-client';
import { S3Storage } from './s3-storage';
import { partBytesOf } from './s3-upload';
import { STORAGE_PROVIDER } from './storage.providers';
import { StorageUnavailableError } from './storage-unavailable';
import { describeWithSwift, SwiftServer } from './swift.fixture';
import { TcpRelay } from './tcp-relay.fixture';

const PART = partBytesOf(0);
const CHUNK = 100_000;
const BUCKET = 'packages';
const IMPATIENT = { connectMillis: 500, idleMillis: 500, joiningMillis: 500 };

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
  const relays: TcpRelay[] = [];
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
    for (const relay of relays) relay.stop();
    await swift?.stop();
  });

  async function throughRelay(timeouts = S3_TIMEOUTS): Promise<{ relay: TcpRelay; relayed: S3Storage }> {
    const relay = await TcpRelay.start(Number(new URL(swift.endpoint).port));
    relays.push(relay);
    return { relay, relayed: new S3Storage({ ...config, endpoint: relay.url }, timeouts) };
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

  describe('writes', () => {
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

    it('and leaves nothing of a source that fails, whose error it throws', async () => {
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

    it('and tells a source that is torn down from a failure of its own', async () => {
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

    it('nothing over what is there', async () => {
      const key = newKey();
      await storage.write(key, sourceOf(Buffer.from('first')), 5);
      const source = sourceOf(Buffer.from('other'));
      await expect(storage.write(key, source, 5)).rejects.toThrow(
        `The storage has an object ${key} already.`,
      );
      expect(source.destroyed).toBe(false);
      expect((await read(key))?.content.toString()).toBe('first');
    });

    it('until the storage goes away, and leaves the source alone; what is left can be removed later', async () => {
      const { relay, relayed } = await throughRelay();
      const key = newKey();
      async function* cutting() {
        yield* chunksOf(randomBytes(PART + 1));
        await waitFor(async () => (await unfinished(key)).length > 0);
        relay.stop();
        yield* chunksOf(randomBytes(3 * PART));
      }
      const source = Readable.from(cutting());
      await expect(relayed.write(key, source, 4 * PART + 1)).rejects.toThrow(StorageUnavailableError);
      expect(source.destroyed).toBe(false);
      expect(await unfinished(key)).toEqual([key]);
      await storage.remove(key);
      await expectNothing(key);
    });
  });

  describe('removes', () => {
    it('an object, in one part or several, and what is not there', async () => {
      for (const sizeBytes of [5, PART + 1]) {
        const key = newKey();
        await storage.write(key, sourceOf(randomBytes(sizeBytes)), sizeBytes);
        await storage.remove(key);
        await expectNothing(key);
        await expect(storage.remove(key)).resolves.toBeUndefined();
      }
    });

    it('unfinished uploads of just this object', async () => {
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

    it('where nobody answers, who is asked once', async () => {
      const { relay, relayed } = await throughRelay(IMPATIENT);
      relay.isSilent = true;
      await expect(relayed.write(newKey(), sourceOf(Buffer.alloc(1)), 1)).rejects.toThrow(
        StorageUnavailableError,
      );
      expect(relay.accepted).toBe(1);
      await expect(relayed.remove(newKey())).rejects.toThrow(StorageUnavailableError);
      expect(relay.accepted).toBe(2);
    });

    it('but not when it takes its time to put the parts together', async () => {
      const { relay, relayed } = await throughRelay({ ...S3_TIMEOUTS, idleMillis: 5_000 });
      relay.late = { text: 'CompleteMultipartUpload', millis: 6_000 };
      const content = Buffer.alloc(17 * 2 ** 20, 'x');
      const key = newKey();
      await relayed.write(key, sourceOf(content), content.length);
      expect((await read(key))?.content.equals(content)).toBe(true);
    });

    it('but not when a connection breaks', async () => {
      const { relay, relayed } = await throughRelay();
      relay.breakNext = 2;
      await expect(relayed.remove(newKey())).resolves.toBeUndefined();
      expect(relay.accepted).toBeGreaterThanOrEqual(3);
    });
  });

  it('closes its connections with the application', async () => {
    const relay = await TcpRelay.start(Number(new URL(swift.endpoint).port));
    relays.push(relay);
    const catalogue = { storage: { s3: { ...config, endpoint: relay.url } } };
    const providers = [STORAGE_PROVIDER, { provide: CONSOLE_CONFIG, useValue: { catalogue } }];
    const application = await Test.createTestingModule({ providers }).compile();
    await application.get<S3Storage>(OBJECT_STORAGE).remove(newKey());
    expect(relay.open).toBeGreaterThan(0);
    await application.close();
    await waitFor(() => relay.open === 0);
  });
});
