import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { createTestDatabase, type TestDatabase, waitFor } from '@inference/testing';
import { ENTITIES } from '../../entities';
import { errorOf, FileSite } from './files.fixture';

const SIZE = 1_000;
const CONTENT = randomBytes(SIZE);
const TAG = `"file_1-${SIZE}"`;
const MEBIBYTE = 2 ** 20;
const LARGE_BYTES = 64 * MEBIBYTE;
const HAS_CURL = (process.env.PATH ?? '')
  .split(delimiter)
  .some((folder) => fs.existsSync(join(folder, 'curl')));

describe('a link to a file', () => {
  let database: TestDatabase;
  let site: FileSite;
  let path: string;

  beforeAll(async () => {
    database = await createTestDatabase(ENTITIES);
    site = await FileSite.start(database.urlFor('console'));
    await site.add('file_1', CONTENT);
    await site.addLarge('large', LARGE_BYTES);
    path = site.pathFor('file_1');
  });
  afterAll(async () => {
    await site.stop();
    await database.drop();
  });

  describe('that is interrupted', () => {
    const CUT = 333;
    const copy = () => join(site.folder, 'copy');
    beforeEach(() => fs.writeFileSync(copy(), CONTENT.subarray(0, CUT)));

    (HAS_CURL ? it : it.skip)('goes on with curl where it was (needs curl)', async () => {
      const args = ['-sS', '-C', '-', '-o', copy(), site.url + path];
      await promisify(execFile)('curl', args);
      expect(fs.readFileSync(copy()).equals(CONTENT)).toBe(true);
      // The file is complete.
      await promisify(execFile)('curl', args).catch(() => undefined);
      expect(fs.readFileSync(copy()).equals(CONTENT)).toBe(true);
    });

    it('is resumed by a range request, also with a new link', async () => {
      for (const link of [path, site.pathFor('file_1', { inSeconds: 60 })]) {
        const response = await fetch(site.url + link, {
          headers: { Range: `bytes=${CUT}-`, 'If-Range': TAG },
        });
        expect(response.status).toBe(206);
        const rest = Buffer.from(await response.arrayBuffer());
        expect(Buffer.concat([fs.readFileSync(copy()), rest]).equals(CONTENT)).toBe(true);
      }
    });

    it('closes the file and logs only that it was aborted', async () => {
      const lines = site.log.length;
      const response = await site.requestHeaders(site.pathFor('large'));
      response.destroy();
      await waitFor(() => site.lastFileStream.closed);
      const line = await waitFor(() => site.log.slice(lines).find(({ msg }) => msg === 'request aborted'));
      expect(line).toMatchObject({ level: 30, req: { path: '/api/files/large' } });
      expect(site.lastFileStream.bytesRead).toBeLessThan(LARGE_BYTES);
    });

    it('uses little memory for a stalled client, which is disconnected after a while', async () => {
      const response = await site.requestHeaders(site.pathFor('large'));
      const cut = new Promise((resolve) => response.once('close', resolve));
      const socket = site.sockets.at(-1)!;
      const reading = site.lastFileStream;
      await waitFor(() => socket.writableNeedDrain && reading.isPaused() && reading.readableLength > 0);
      expect(reading.readableLength + socket.writableLength).toBeLessThanOrEqual(MEBIBYTE);
      expect(socket.timeout).toBe(60_000);
      socket.setTimeout(50);
      await waitFor(() => reading.closed);
      response.on('error', () => undefined).resume();
      await cut;
      expect(reading.bytesRead).toBeLessThan(LARGE_BYTES);
    });

    it('continues for a slow client', async () => {
      const { status, body } = await site.request(site.pathFor('large'));
      expect([status, body.length]).toEqual([200, LARGE_BYTES]);
    });
  });
});

describe('when the folder cannot be read', () => {
  let site: FileSite;
  const unavailable = async (key = 'file_1') => {
    const answer = await site.request(site.pathFor(key));
    expect([answer.status, errorOf(answer)]).toEqual([503, 'storage unavailable']);
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
    });
    for (const name of ['etag', 'content-disposition', 'accept-ranges'])
      expect(answer.headers[name]).toBeUndefined();
    expect(site.log.some(({ level }) => level === 50)).toBe(true);
  };

  // The route does not use the database.
  beforeEach(async () => (site = await FileSite.start('postgres://console@127.0.0.1:1/platform')));
  afterEach(() => site.stop());

  it('a link is 503: the folder is a file', async () => {
    fs.writeFileSync(join(site.folder, 'packages'), '');
    await unavailable();
  });

  it('a link is 503: the folder is missing, as if a disk is not mounted', () => unavailable());

  it('a link is 503: the file cannot be inspected', async () => {
    await site.add('file_1', CONTENT);
    fs.symlinkSync('loop', join(site.folder, 'packages', 'loop'));
    await unavailable('loop');
  });

  (process.platform === 'linux' ? it : it.skip)(
    'a link is 503: the file cannot be read (needs Linux)',
    async () => {
      await site.add('file_1', CONTENT);
      // It looks like a regular file, but reading it fails with an I/O error.
      fs.symlinkSync('/proc/self/mem', join(site.folder, 'packages', 'memory'));
      await unavailable('memory');
      expect(site.lastFileStream.closed).toBe(true);
    },
  );

  it('downloads in progress do not delay a shutdown', async () => {
    await site.addLarge('large', LARGE_BYTES);
    const response = await site.requestHeaders(site.pathFor('large'));
    const cut = new Promise((resolve) => response.on('error', resolve).once('close', resolve));
    await site.close();
    await waitFor(() => site.lastFileStream.closed);
    response.resume();
    await cut;
  });
});
