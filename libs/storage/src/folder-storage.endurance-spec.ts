import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { rememberSecret, waitFor } from '@inference/testing';
import fc from 'fast-check';
import { FolderStorage, verifyLink } from './folder-storage';
import { StorageUnavailableError } from './object-storage';

const SECRET = 'the-secret-of-these-links-and-no-others';
const BUILT = resolve(__dirname, '../../../dist/libs/storage/src/folder-storage.js');

let parent: string;
let folder: string;
let storage: FolderStorage;

beforeAll(() => rememberSecret(SECRET));
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'folder-storage-'));
  folder = join(parent, 'not', 'made', 'yet');
  storage = new FolderStorage(folder, { secrets: [SECRET], publicUrl: 'https://console.test' });
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const bytes = (...parts: string[]) => Readable.from(parts.map((part) => Buffer.from(part)));
/** All files, complete and incomplete. */
const files = () =>
  ['packages', 'incoming'].map((name) =>
    existsSync(join(folder, name)) ? readdirSync(join(folder, name)) : [],
  );
const contentOf = (key: string) => readFileSync(join(folder, 'packages', key), 'utf8');

describe('a write', () => {
  it('stores the whole source, readable by the service only', async () => {
    await storage.write('file_1', bytes('one', 'two', ''), 6);
    expect(contentOf('file_1')).toBe('onetwo');
    expect(files()).toEqual([['file_1'], []]);
    expect(statSync(join(folder, 'packages', 'file_1')).mode & 0o777).toBe(0o600);
    for (const path of [folder, join(folder, 'packages'), join(folder, 'incoming')])
      expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('accepts sources of any size in any chunks', async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 70_000 }), { maxLength: 5 });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(pieces, async (parts) => {
        const key = `file_${++count}`;
        const whole = Buffer.concat(parts);
        await storage.write(key, Readable.from(parts.map((part) => Buffer.from(part))), whole.length);
        expect(readFileSync(join(folder, 'packages', key)).equals(whole)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('shows nothing before it is complete', async () => {
    const source = new PassThrough();
    const writing = storage.write('file_1', source, 6);
    source.write('one');
    await waitFor(() => files()[1]!.length > 0 && statSync(join(folder, 'incoming', 'file_1')).size === 3);
    expect(files()).toEqual([[], ['file_1']]);
    source.end('two');
    await writing;
    expect(files()).toEqual([['file_1'], []]);
  });

  it('stores a key with folders under this path, beside the packages', async () => {
    const key = 'usage/2026-01-01/a.b.gz';
    expect(await storage.sizeOf(key)).toBeUndefined();
    await storage.write(key, bytes('one'), 3);
    expect(readFileSync(join(folder, key), 'utf8')).toBe('one');
    expect(await storage.sizeOf(key)).toBe(3);
    expect(files()).toEqual([[], []]);
    await expect(storage.link(key, { fileName: 'a', expiresInSeconds: 1 })).rejects.toThrow(TypeError);
    await storage.remove(key);
    expect(await storage.sizeOf(key)).toBeUndefined();
  });

  it.each(['at once', 'half-way'])('rethrows an error of the source %s and leaves nothing', async (when) => {
    const source = new PassThrough();
    const failure = new Error('the client went away');
    const writing = storage.write('file_1', source, 6);
    if (when === 'half-way') {
      source.write('one');
      await waitFor(() => files()[1]!.length > 0 && statSync(join(folder, 'incoming', 'file_1')).size === 3);
    }
    source.destroy(failure);
    await expect(writing).rejects.toBe(failure);
    expect(files()).toEqual([[], []]);
  });

  it('throws if the source is destroyed without an error', async () => {
    const source = new PassThrough();
    const writing = storage.write('file_1', source, 6);
    source.write('one');
    source.destroy();
    await expect(writing).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
    expect(files()).toEqual([[], []]);
  });

  it.each([5, 7])('a write of 6 bytes fails if %d are announced', async (announced) => {
    await expect(storage.write('file_1', bytes('one', 'two'), announced)).rejects.toThrow(String(announced));
    expect(files()).toEqual([[], []]);
  });

  it('never replaces a file nor continues another write of it', async () => {
    await storage.write('file_1', bytes('one'), 3);
    await expect(storage.write('file_1', bytes('two'), 3)).rejects.toThrow('already');
    expect(contentOf('file_1')).toBe('one');

    const source = new PassThrough();
    const first = storage.write('file_2', source, 3);
    await waitFor(() => files()[1]!.length > 0);
    await expect(storage.write('file_2', bytes('two'), 3)).rejects.toThrow(StorageUnavailableError);
    source.end('one');
    await first;
    expect(contentOf('file_2')).toBe('one');
  });

  it('does not destroy the source when it fails', async () => {
    await writeFile(join(parent, 'not'), '');
    const source = new PassThrough();
    await expect(storage.write('file_1', source, 6)).rejects.toThrow(StorageUnavailableError);
    expect(source.destroyed).toBe(false);
    source.destroy(new Error('an error without a listener would end the process'));
    await waitFor(() => source.closed);
  });
});

describe('a folder that fails', () => {
  it('makes every method throw StorageUnavailableError with the cause', async () => {
    await writeFile(join(parent, 'not'), '');
    for (const work of [storage.write('file_1', bytes('one'), 3), storage.remove('file_1')]) {
      const error: unknown = await work.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StorageUnavailableError);
      expect(error).toMatchObject({ message: 'storage unavailable', cause: { code: 'ENOTDIR' } });
    }
  });

  it('is unavailable if the disk is full, and keeps no part of the file', async () => {
    const script = `
      const { FolderStorage } = require(${JSON.stringify(BUILT)});
      const storage = new FolderStorage(process.argv[1]);
      const source = require('node:stream').Readable.from([Buffer.alloc(100), Buffer.alloc(1_000_000)]);
      storage.write('file_1', source, 1_000_100).catch((error) =>
        console.log(error.constructor.name, error.cause?.code));
    `;
    // Limit the size of files to a few kilobytes.
    const limited = ['-c', 'ulimit -f 8 && exec "$0" "$@"', process.execPath, '-e', script, folder];
    const { stdout } = await promisify(execFile)('sh', limited);
    expect(stdout.trim()).toBe('StorageUnavailableError EFBIG');
    expect(files()).toEqual([[], []]);
  });

  it('is unavailable if it disappears before the end', async () => {
    const source = new PassThrough();
    const writing = storage.write('file_1', source, 3);
    await waitFor(() => files()[1]!.length > 0);
    await rename(folder, `${folder}-elsewhere`);
    source.end('one');
    await expect(writing).rejects.toThrow(StorageUnavailableError);
  });
});

describe('a removal', () => {
  it('removes the file and the remains of an interrupted write', async () => {
    await storage.write('file_1', bytes('one'), 3);
    await writeFile(join(folder, 'incoming', 'file_1'), 'rest');
    await storage.write('file_2', bytes('two'), 3);
    await storage.remove('file_1');
    expect(files()).toEqual([['file_2'], []]);
    await storage.write('file_1', bytes('new'), 3);
    expect(contentOf('file_1')).toBe('new');
  });

  it('succeeds if there is nothing to remove', async () => {
    await storage.remove('file_1');
    await mkdir(join(folder, 'packages'), { recursive: true });
    await storage.remove('file_1');
  });
});

describe('a link', () => {
  it('leads to the console, expires, and contains the file name', async () => {
    const before = Math.floor(Date.now() / 1000);
    const url = new URL(
      await storage.link('file_1', { fileName: '模型 +&?"#%41.gguf', expiresInSeconds: 900 }),
    );
    expect([url.origin, url.pathname]).toEqual(['https://console.test', '/api/files/file_1']);
    expect([...url.searchParams.keys()]).toEqual(['name', 'expires', 'signature']);
    expect(url.search).not.toContain('+');
    const { name, expires, signature } = Object.fromEntries(url.searchParams) as Record<string, string>;
    rememberSecret(signature!);
    expect(name).toBe('模型 +&?"#%41.gguf');
    expect(Number(expires)).toBeGreaterThanOrEqual(before + 900);
    const parts = { key: 'file_1', fileName: name!, expires: expires!, signature: signature! };
    expect(verifyLink(parts, [SECRET], (before + 899) * 1000)).toBe('valid');
    expect(verifyLink(parts, [SECRET], (Number(expires) + 1) * 1000)).toBe('expired');
  });
});

it.each(['..', '../file', 'a/../b', 'a//b', '/a', 'a/', '.a', 'a/.b', '', 'a\0b', 'a\n', 'x'.repeat(201)])(
  'refuses the key %j',
  async (key) => {
    const outside = join(parent, 'file');
    await writeFile(outside, 'mine');
    chmodSync(outside, 0o600);
    await expect(storage.write(key, bytes('one'), 3)).rejects.toThrow(TypeError);
    await expect(storage.remove(key)).rejects.toThrow(TypeError);
    await expect(storage.link(key, { fileName: 'a', expiresInSeconds: 1 })).rejects.toThrow(TypeError);
    expect(readFileSync(outside, 'utf8')).toBe('mine');
    expect(existsSync(folder)).toBe(false);
  },
);
