import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { BackgroundJobs } from '@inference/jobs';
import { waitFor } from '@inference/testing';
import { TestSite, type SignedIn } from '../../../../testing/console.fixture';
import { ConsoleProcess } from '../../../../testing/console-process.fixture';
import { StoredPackages } from '../../model-packages/packages.fixture';
import { type UploadListResponse } from './package-uploads.dto';
import { digestHeader, hexOf, UploadClient } from './package-uploads.fixture';

const PART_BYTES = 16 * 2 ** 20;
/** Three parts. */
const CONTENT = randomBytes(2 * PART_BYTES + 1_000);
/** Another host takes over when the claim of 60 s has ended; its job may start a few seconds later. */
const TAKEOVER_MILLIS = 90_000;
const TEST_MILLIS = 150_000;

describe('an upload in parts', () => {
  let site: TestSite;
  let admin: SignedIn;
  let packages: StoredPackages;

  beforeEach(async () => {
    site = await TestSite.start();
    admin = await site.signedIn('admin');
    packages = new StoredPackages(site);
  });
  afterEach(() => site.stop());

  const packageOf = async (id: string) => {
    const { rows } = await site.database.pool.query<{ sha256: Buffer | null }>(
      'SELECT sha256 FROM catalogue.packages WHERE id = $1',
      [id],
    );
    return rows[0]?.sha256?.toString('hex');
  };

  it('goes on at another host after kill -9 in the middle of a part', async () => {
    const host = await ConsoleProcess.start(site, admin.token);
    const uploads = new UploadClient(host.url, admin);
    const id = await uploads.beginOf('killed', '1', CONTENT);
    await uploads.sendParts(id, CONTENT, [1]);
    const part = request(`${host.url}/api/admin/package-uploads/${id}/parts/2`, {
      method: 'PUT',
      headers: {
        Authorization: `Bearer ${admin.token}`,
        'Content-Digest': digestHeader(CONTENT.subarray(PART_BYTES, 2 * PART_BYTES)),
        'Content-Length': PART_BYTES,
      },
    });
    const broken = new Promise((resolve) => part.on('error', resolve));
    part.write(CONTENT.subarray(PART_BYTES, PART_BYTES + 1_000_000), () => host.kill());
    await broken;
    const others = new UploadClient(site.console.url, admin);
    const { uploads: unfinished } = (await others.list()).body as UploadListResponse;
    expect(unfinished).toEqual([expect.objectContaining({ id, arrived_parts: [1], state: 'uploading' })]);
    await others.sendParts(id, CONTENT, [2, 3]);
    await others.complete(id);
    expect(await others.result(id)).toMatchObject({ state: 'complete' });
    expect(await packageOf(id)).toBe(hexOf(CONTENT));
    expect(packages.isStored(id)).toBe(true);
  });

  it(
    'is completed by another host after kill -9 while it was being completed',
    async () => {
      const own = new UploadClient(site.console.url, admin);
      const id = await own.beginOf('taken-over', '1', CONTENT, { sha256: hexOf(CONTENT) });
      await own.sendParts(id, CONTENT);
      // The process that is killed is the only one that takes jobs.
      site.console.app.get(BackgroundJobs).onModuleDestroy();
      const host = await ConsoleProcess.start(site, admin.token);
      const lock = await site.database.pool.connect();
      await lock.query('BEGIN');
      await lock.query(
        "SELECT pg_advisory_xact_lock(hashtextextended('catalogue.packages taken-over 1', 0))",
      );
      const uploads = new UploadClient(host.url, admin);
      expect((await uploads.complete(id)).status).toBe(202);
      // The parts are joined, and the process waits for the lock.
      await waitFor(async () => {
        const waiting = await lock.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
        return waiting.rowCount === 1;
      });
      expect((await uploads.read(id)).body).toMatchObject({ state: 'completing' });
      host.kill();
      await lock.query('ROLLBACK');
      lock.release();
      const next = await ConsoleProcess.start(site, admin.token);
      const others = new UploadClient(next.url, admin);
      expect((await others.read(id)).body).toMatchObject({ state: 'completing' });
      expect(await others.result(id, TAKEOVER_MILLIS)).toMatchObject({ state: 'complete', error: null });
      expect(await packageOf(id)).toBe(hexOf(CONTENT));
      next.kill();
    },
    TEST_MILLIS,
  );

  it('is completed later when the storage fails meanwhile', async () => {
    const uploads = new UploadClient(site.console.url, admin);
    const id = await uploads.beginOf('obstructed', '1', CONTENT);
    await uploads.sendParts(id, CONTENT);
    const release = packages.occupy(id);
    await uploads.complete(id);
    await waitFor(async () => {
      const { rows } = await site.database.pool.query<{ waits: boolean }>(
        'SELECT claimed_until IS NULL AND attempts = 1 AS waits FROM catalogue.resumable_uploads WHERE package_id = $1',
        [id],
      );
      return rows[0]!.waits;
    });
    expect((await uploads.read(id)).body).toMatchObject({ state: 'completing', error: null });
    release();
    expect(await uploads.result(id, TAKEOVER_MILLIS)).toMatchObject({ state: 'complete' });
    expect(await packageOf(id)).toBe(hexOf(CONTENT));
  });
});
