import { randomBytes } from 'node:crypto';
import { waitFor } from '@inference/testing';
import { TestSite } from '../../../../testing/console.fixture';
import { ModelAdmin } from '../../models.fixture';
import { StoredPackages } from '../../model-packages/packages.fixture';
import { type UploadListResponse, type UploadResponse } from './package-uploads.dto';
import { digestHeader, hexOf, UploadClient } from './package-uploads.fixture';

const PART_BYTES = 16 * 2 ** 20;
/** Two parts. */
const CONTENT = randomBytes(PART_BYTES + 1_000);
const FIRST = CONTENT.subarray(0, PART_BYTES);
const LAST = CONTENT.subarray(PART_BYTES);
const MAX_PACKAGE_BYTES = 3 * PART_BYTES;

let site: TestSite;
let modelAdmin: ModelAdmin;
let packages: StoredPackages;
let uploads: UploadClient;

beforeAll(async () => {
  site = await TestSite.start({ MAX_PACKAGE_BYTES: String(MAX_PACKAGE_BYTES) });
  modelAdmin = new ModelAdmin(site, await site.signedIn('admin'));
  packages = new StoredPackages(site);
  uploads = new UploadClient(site.console.url, modelAdmin.admin);
});
afterAll(() => site.stop());

const idsOf = (body: unknown) => (body as UploadListResponse).uploads.map(({ id }) => id);

describe('the beginning of an upload', () => {
  it('tells the parts to send', async () => {
    const { status, body } = await uploads.begin({
      slug: 'acme/begun',
      version: '1.0',
      size_bytes: CONTENT.length,
      sha256: hexOf(CONTENT),
      file_modified_at: '2026-01-31T12:30:00.123Z',
    });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^pkg_/),
        slug: 'acme/begun',
        version: '1.0',
        file_name: 'acme-begun-1.0',
        size_bytes: CONTENT.length,
        sha256: hexOf(CONTENT),
        file_modified_at: '2026-01-31T12:30:00.123Z',
        part_bytes: PART_BYTES,
        parts: 2,
        arrived_parts: [],
        state: 'uploading',
        error: null,
        created_at: expect.any(String),
        expires_at: expect.any(String),
      },
    ]);
    const { expires_at: expiresAt } = body as UploadResponse;
    expect((Date.parse(expiresAt!) - Date.now()) / 86_400_000).toBeCloseTo(7, 1);
    expect((await modelAdmin.read('acme/begun')).body).toMatchObject({
      packages: [{ version: '1.0', status: 'uploading', sha256: null }],
    });
  });

  it.each([
    [{ version: '1', size_bytes: 1 }, 'slug: is missing'],
    [{ slug: 'a', size_bytes: 1 }, 'version: is missing'],
    [{ slug: 'a', version: '1' }, 'size_bytes: is missing'],
    [{ slug: 'a/packages/b', version: '1', size_bytes: 1 }, 'slug: must not have'],
    [{ slug: ['a'], version: '1', size_bytes: 1 }, 'slug: must be'],
    [{ slug: 'a', version: '1', size_bytes: 0 }, 'size_bytes: must be a whole number from 1 to 671088640000'],
    [{ slug: 'a', version: '1', size_bytes: 1, sha256: 'abc' }, 'sha256: must have 64 of 0-9 and a-f'],
    [
      { slug: 'a', version: '1', size_bytes: 1, file_name: 'a/b' },
      'file_name: must be a name without a path',
    ],
    [{ slug: 'a', version: '1', size_bytes: 1, file_modified_at: 'now' }, 'file_modified_at: '],
  ])('refuses %j', async (body, message) => {
    const { status, body: answer } = await uploads.begin(body);
    expect([status, answer]).toEqual([400, { error: expect.stringContaining(message) }]);
  });

  it('refuses a package larger than the site allows', async () => {
    const { status, body } = await uploads.begin({
      slug: 'big',
      version: '1',
      size_bytes: MAX_PACKAGE_BYTES + 1,
    });
    expect([status, body]).toEqual([
      413,
      { error: `size_bytes: a package may have at most ${MAX_PACKAGE_BYTES} bytes` },
    ]);
  });

  it('refuses a version that is stored', async () => {
    await modelAdmin.upload('taken', '1', 'content');
    for (const sha256 of [undefined, hexOf('content'), hexOf('other')]) {
      const { status } = await uploads.begin({ slug: 'taken', version: '1', size_bytes: 7, sha256 });
      expect(status).toBe(409);
    }
    expect(await packages.rowsOf('taken')).toHaveLength(1);
  });

  it('answers 503 and leaves nothing when the storage is unavailable', async () => {
    const broken = await TestSite.start({ STORAGE_FOLDER: '/dev/null/nowhere' });
    const admin = await broken.signedIn('admin');
    const client = new UploadClient(broken.console.url, admin);
    const { status, body } = await client.begin({ slug: 'x', version: '1', size_bytes: 1 });
    expect([status, body]).toEqual([503, { error: 'storage unavailable' }]);
    expect((await client.list()).body).toEqual({ uploads: [] });
    await broken.stop();
  });
});

describe('an upload in parts', () => {
  it('becomes a package when all parts have arrived, in any order', async () => {
    const id = await uploads.beginOf('whole', '1', CONTENT, { sha256: hexOf(CONTENT), file_name: 'w.gguf' });
    expect((await uploads.part(id, 2, LAST)).status).toBe(204);
    expect((await uploads.read(id)).body).toMatchObject({ state: 'uploading', arrived_parts: [2] });
    const early = await uploads.complete(id);
    expect([early.status, early.body]).toEqual([409, { error: 'parts are missing: 1' }]);
    expect((await uploads.part(id, 1, FIRST)).status).toBe(204);
    expect((await uploads.part(id, 1, FIRST)).status).toBe(204);
    const submitted = await uploads.complete(id);
    expect([submitted.status, submitted.body]).toEqual([
      202,
      expect.objectContaining({ id, arrived_parts: [1, 2], error: null }),
    ]);
    expect(await uploads.result(id)).toMatchObject({ state: 'complete', error: null, expires_at: null });
    expect((await uploads.complete(id)).body).toMatchObject({ state: 'complete' });
    expect((await modelAdmin.read('whole')).body).toMatchObject({
      packages: [{ file_name: 'w.gguf', size: CONTENT.length, sha256: hexOf(CONTENT), status: 'stored' }],
    });
    expect(packages.isStored(id)).toBe(true);
    expect(packages.isIncoming(id)).toBe(false);
    const { rows } = await site.database.pool.query(
      "SELECT actor_id, address FROM accounts.security_events WHERE type = 'admin.package_uploaded' AND details ->> 'slug' = 'whole'",
    );
    expect(rows).toEqual([{ actor_id: modelAdmin.admin.accountId, address: '127.0.0.1' }]);
  });

  it('takes no part after its submission', async () => {
    const id = await uploads.beginOf('closed', '1', LAST);
    await uploads.sendParts(id, LAST);
    await uploads.complete(id);
    const { status, body } = await uploads.part(id, 1, LAST);
    expect([status, body]).toEqual([409, { error: 'the upload takes no more parts' }]);
    await uploads.result(id);
  });

  it('refuses other content under the number of a part', async () => {
    const id = await uploads.beginOf('changed', '1', CONTENT);
    await uploads.part(id, 2, LAST);
    const { status, body } = await uploads.part(id, 2, randomBytes(LAST.length));
    expect([status, body]).toEqual([409, { error: 'part 2 was sent with other content: begin again' }]);
  });

  it.each([
    ['of a wrong length', 2, FIRST, undefined, 'part 2 must have 1000 bytes, and has 16777216'],
    ['without bytes', 1, Buffer.alloc(0), undefined, 'part 1 must have 16777216 bytes, and has 0'],
    ['of another digest', 2, LAST, digestHeader('other'), 'does not have the digest'],
    ['of a malformed digest', 2, LAST, 'sha-256=:AAAA:', 'Content-Digest: must be sha-256=:<base64>:'],
    ['above the last number', 3, LAST, undefined, 'number: must be a whole number from 1 to 2'],
    ['of number 0', 0, LAST, undefined, 'number: must be a whole number'],
    ['of no number', 'x', LAST, undefined, 'number: must be a whole number'],
  ])('refuses a part %s', async (_name, number, content, digest, message) => {
    const id = await uploads.beginOf('refused', '1', CONTENT);
    const { status, body } = await uploads.part(id, number, content, digest);
    expect([status, body]).toEqual([400, { error: expect.stringContaining(message) }]);
    expect((await uploads.read(id)).body).toMatchObject({ arrived_parts: [] });
  });

  it('refuses a part larger than any', async () => {
    const id = await uploads.beginOf('refused', '1', CONTENT);
    expect((await uploads.part(id, 1, Buffer.alloc(64 * 2 ** 20 + 1))).status).toBe(413);
  });

  it('names at most 20 missing parts', async () => {
    const id = await uploads.beginOf('many', '1', CONTENT);
    await site.database.pool.query(
      'UPDATE catalogue.resumable_uploads SET part_bytes = 100 WHERE package_id = $1',
      [id],
    );
    expect((await uploads.complete(id)).body).toEqual({
      error: expect.stringMatching(/^parts are missing: 1, 2, .*, 20 and \d+ more$/),
    });
  });
});

describe('the result of an upload', () => {
  it('is a failure if the file has not the announced digest', async () => {
    const id = await uploads.beginOf('mismatch', '1', LAST, { sha256: hexOf('other') });
    await uploads.sendParts(id, LAST);
    await uploads.complete(id);
    expect(await uploads.result(id)).toMatchObject({
      state: 'failed',
      error: { code: 'digest_mismatch', message: 'the file does not have the announced digest' },
    });
    expect((await uploads.complete(id)).status).toBe(202);
    await waitFor(() => !packages.isStored(id) && !packages.isIncoming(id));
    expect(await packages.rowsOf('mismatch')).toEqual([]);
  });

  it('is a failure if the version got other content meanwhile', async () => {
    const id = await uploads.beginOf('overtaken', '1', LAST);
    await uploads.sendParts(id, LAST);
    await modelAdmin.upload('overtaken', '1', 'first');
    await uploads.complete(id);
    expect(await uploads.result(id)).toMatchObject({ state: 'failed', error: { code: 'version_conflict' } });
    await waitFor(async () => (await packages.rowsOf('overtaken')).length === 1 && !packages.isStored(id));
    expect(await packages.rowsOf('overtaken')).toEqual([expect.objectContaining({ stored: true })]);
  });

  it('is a success if the version got the same content meanwhile', async () => {
    const id = await uploads.beginOf('twice', '1', LAST);
    await uploads.sendParts(id, LAST);
    await modelAdmin.upload('twice', '1', LAST);
    await uploads.complete(id);
    expect(await uploads.result(id)).toMatchObject({ state: 'complete', error: null });
    await waitFor(async () => (await packages.rowsOf('twice')).length === 1 && !packages.isStored(id));
  });

  it('is a failure if the storage has lost a part', async () => {
    const id = await uploads.beginOf('lost', '1', CONTENT);
    await uploads.sendParts(id, CONTENT);
    packages.truncateIncoming(id);
    await uploads.complete(id);
    expect(await uploads.result(id)).toMatchObject({ state: 'failed', error: { code: 'parts_lost' } });
  });
});

describe('unfinished uploads', () => {
  it('are listed newest first, without those that are complete, failed or discarded', async () => {
    const before = idsOf((await uploads.list()).body);
    const first = await uploads.beginOf('listed', '1', LAST);
    const second = await uploads.beginOf('listed', '2', CONTENT);
    const complete = await uploads.beginOf('listed', '3', LAST);
    await uploads.sendParts(complete, LAST);
    await uploads.complete(complete);
    await uploads.result(complete);
    await uploads.sendParts(second, CONTENT, [2]);
    const { status, body } = await uploads.list();
    expect(status).toBe(200);
    expect(idsOf(body)).toEqual([second, first, ...before].slice(0, 20));
    expect((body as UploadListResponse).uploads[0]).toMatchObject({ arrived_parts: [2], state: 'uploading' });
  });

  it('belong to the admin who began them', async () => {
    const other = new UploadClient(site.console.url, await site.signedIn('admin'));
    const id = await uploads.beginOf('own', '1', LAST);
    const answers = [
      await other.read(id),
      await other.part(id, 1, LAST),
      await other.complete(id),
      await other.discard(id),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      answers.map(() => [404, { error: 'no such upload' }]),
    );
    expect((await other.list()).body).toEqual({ uploads: [] });
    expect((await uploads.read(id)).status).toBe(200);
  });

  it('are unknown under other ids', async () => {
    for (const id of ['pkg_1', 'nothing'])
      expect([
        (await uploads.read(id)).status,
        (await uploads.part(id, 1, LAST)).status,
        (await uploads.complete(id)).status,
        (await uploads.discard(id)).status,
      ]).toEqual([404, 404, 404, 404]);
  });

  it('are discarded with their files', async () => {
    const id = await uploads.beginOf('discarded', '1', CONTENT);
    await uploads.sendParts(id, CONTENT, [1]);
    expect(packages.isIncoming(id)).toBe(true);
    expect((await uploads.discard(id)).status).toBe(204);
    expect(packages.isIncoming(id)).toBe(false);
    expect((await uploads.read(id)).status).toBe(404);
    expect((await uploads.discard(id)).status).toBe(404);
    expect(await packages.rowsOf('discarded')).toEqual([]);
    await packages.expireLinks();
    await packages.runCleanup();
    expect(await packages.countOf('discarded')).toBe(0);
  });

  it('are not discarded when they are complete', async () => {
    const id = await uploads.beginOf('kept', '1', LAST);
    await uploads.sendParts(id, LAST);
    await uploads.complete(id);
    await uploads.result(id);
    expect((await uploads.discard(id)).status).toBe(409);
    expect(packages.isStored(id)).toBe(true);
  });

  it('are removed when no part arrives for a week, and each part is the beginning of a new one', async () => {
    const left = await uploads.beginOf('left', '1', CONTENT);
    const renewed = await uploads.beginOf('renewed', '1', CONTENT);
    await uploads.sendParts(left, CONTENT, [1]);
    await packages.expireUpload(left);
    await packages.expireUpload(renewed);
    await uploads.sendParts(renewed, CONTENT, [1]);
    await packages.runCleanup();
    expect([(await uploads.read(left)).status, (await uploads.part(left, 2, LAST)).status]).toEqual([
      404, 404,
    ]);
    await packages.expireLinks();
    await packages.runCleanup();
    expect(packages.isIncoming(left)).toBe(false);
    expect(await packages.countOf('left')).toBe(0);
    expect(
      (await site.database.pool.query('SELECT FROM catalogue.upload_parts WHERE package_id = $1', [left]))
        .rowCount,
    ).toBe(0);
    expect((await uploads.read(renewed)).body).toMatchObject({ arrived_parts: [1] });
  });
});
