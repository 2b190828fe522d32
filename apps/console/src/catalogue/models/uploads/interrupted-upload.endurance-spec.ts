import { waitFor } from '@inference/testing';
import { TestConsole, TestSite } from '../../../testing/console.fixture';
import { ConsoleProcess } from '../../../testing/console-process.fixture';
import { LostCommit } from './lost-commit.fixture';
import { ModelAdmin } from '../models.fixture';
import { answerOf, StoredPackages } from '../model-packages/packages.fixture';
import { UPLOAD_TIMES, UploadService } from './upload.service';

const TEN_BYTES = { 'Content-Length': 10 };

let site: TestSite;
let modelAdmin: ModelAdmin;
let packages: StoredPackages;

beforeAll(async () => {
  site = await TestSite.start();
  modelAdmin = new ModelAdmin(site, await site.signedIn('admin'));
  packages = new StoredPackages(site);
});
afterAll(() => site.stop());
afterEach(() => inAHurry(UPLOAD_TIMES));

const inAHurry = (times: Partial<typeof UPLOAD_TIMES>) =>
  (site.console.app.get(UploadService).times = { ...UPLOAD_TIMES, ...times });

/** Resolves when the first half is on the disk. */
async function begin(slug: string, url = site.console.url, headers = TEN_BYTES) {
  const upload = modelAdmin.startUpload(url, slug, '1', headers);
  upload.on('error', () => undefined);
  upload.write('first');
  return { upload, ...(await packages.waitForIncoming(slug)) };
}

const given = (slug: string) => waitFor(async () => (await packages.rowsOf(slug)).length === 0);

describe('an upload leaves nothing', () => {
  it('removes the upload when the client disconnects', async () => {
    const { upload, id } = await begin('gone');
    upload.destroy();
    await given('gone');
    await waitFor(() => !packages.isIncoming(id));
    expect(packages.isStored(id)).toBe(false);
  });

  it('removes the upload when the client stalls', async () => {
    inAHurry({ stallMillis: 100 });
    const { upload, id } = await begin('stalled');
    await new Promise((resolve) => upload.once('close', resolve));
    await given('stalled');
    await waitFor(() => !packages.isIncoming(id));
  });

  it('removes the upload when the client trickles', async () => {
    inAHurry({ stallMillis: 400 });
    const headers = { 'Content-Length': 1_000_000 };
    const { upload, id } = await begin('trickled', site.console.url, headers);
    const dripping = setInterval(() => upload.write('a'), 50);
    await new Promise((resolve) => upload.once('close', resolve));
    clearInterval(dripping);
    await given('trickled');
    await waitFor(() => !packages.isIncoming(id));
  });

  it('removes the upload when its replica shuts down', async () => {
    const stopping = await TestConsole.start(site.database.urlFor('console'));
    const { id } = await begin('stopped', stopping.url);
    await stopping.close();
    expect(await packages.rowsOf('stopped')).toEqual([]);
    expect(packages.isIncoming(id)).toBe(false);
  });

  it('answers 503 and removes the upload when the storage is unavailable', async () => {
    const broken = await TestSite.start({ STORAGE_FOLDER: '/dev/null/nowhere' });
    const admin = new ModelAdmin(broken, await broken.signedIn('admin'));
    const answer = await admin.upload('x', '1', 'content');
    expect([answer.status, answer.body]).toEqual([503, { error: 'storage unavailable' }]);
    expect((await admin.read('x')).body).toMatchObject({ packages: [] });
    await broken.stop();
  });

  it('removes the upload when another replica has given it up', async () => {
    const { upload, id } = await begin('late');
    await packages.expireUpload(id);
    await packages.runCleanup();
    upload.end('-last');
    const [status, body] = await answerOf(upload);
    expect([status, JSON.parse(body)]).toEqual([409, { error: expect.any(String) }]);
    expect(await packages.rowsOf('late')).toEqual([]);
    expect([packages.isStored(id), packages.isIncoming(id)]).toEqual([false, false]);
  });

  it('leaves nothing of an upload that the cleanup job has removed before its end', async () => {
    const { upload, id } = await begin('swept-late');
    await packages.expireUpload(id);
    await packages.runCleanup();
    await packages.expireLinks();
    await packages.runCleanup();
    expect(await packages.countOf('swept-late')).toBe(0);
    upload.end('-last');
    const [status] = await answerOf(upload);
    expect(status).toBeGreaterThanOrEqual(409);
    expect([packages.isStored(id), packages.isIncoming(id)]).toEqual([false, false]);
  });
});

describe('an upload belongs to its replica', () => {
  const leaseOf = async (id: string) => {
    const { rows } = await site.database.pool.query<{ rest: number }>(
      'SELECT extract(epoch FROM uploading_until - now())::float AS rest FROM catalogue.packages WHERE id = $1',
      [id],
    );
    return rows[0]!.rest;
  };

  it('keeps an upload while its replica renews it', async () => {
    inAHurry({ renewMillis: 20 });
    const { upload, id } = await begin('renewed');
    await packages.expireUpload(id);
    await waitFor(async () => (await leaseOf(id)) > 600);
    upload.end('-last');
    expect((await answerOf(upload))[0]).toBe(201);
  });

  it('fails an upload before its end when another replica gives it up', async () => {
    inAHurry({ renewMillis: 20 });
    const { upload, id } = await begin('lost', site.console.url, { 'Content-Length': 1_000_000 });
    await site.database.pool.transaction(async (sql) => {
      await sql.query('UPDATE catalogue.packages SET removed_at = now() WHERE id = $1', [id]);
    });
    const dripping = setInterval(() => upload.write('.'), 20);
    const [status, body] = await answerOf(upload);
    clearInterval(dripping);
    expect([status, body]).toEqual([409, expect.stringContaining('begin again')]);
  });

  it('keeps a complete upload whose replica did not learn that it is complete', async () => {
    const wire = await LostCommit.start(site.database.urlFor('console'), 'SET "sha256"');
    const other = await TestConsole.start(wire.url);
    const upload = modelAdmin.startUpload(other.url, 'unheard', '1', TEN_BYTES);
    upload.end('first-last');
    expect((await answerOf(upload))[0]).toBe(503);
    expect(wire.isLost).toBe(true);
    const [row] = await packages.rowsOf('unheard');
    expect(row).toMatchObject({ stored: true });
    await packages.runCleanup();
    expect(packages.isStored(row!.id)).toBe(true);
    await other.close();
    wire.stop();
  });
});

describe('the package cleanup job', () => {
  it('removes the uploads of a killed replica and frees their versions', async () => {
    const other = await ConsoleProcess.start(site, modelAdmin.admin.token);
    const { id } = await begin('killed', other.url);
    other.kill();
    await packages.runCleanup();
    expect(await packages.rowsOf('killed')).toHaveLength(1);
    expect((await modelAdmin.upload('killed', '1', 'once more')).status).toBe(201);
    await packages.expireUpload(id);
    await packages.runCleanup();
    await packages.expireLinks();
    await packages.runCleanup();
    expect(await packages.rowsOf('killed')).toEqual([expect.objectContaining({ stored: true })]);
    expect(packages.isIncoming(id)).toBe(false);
  });

  it('keeps uploads that are renewed', async () => {
    const { upload } = await begin('kept');
    await packages.runCleanup();
    upload.end('-last');
    expect((await answerOf(upload))[0]).toBe(201);
  });

  it('deletes the file of a removed package after its last link has expired', async () => {
    await modelAdmin.publish('swept', '1');
    await modelAdmin.publish('swept', '2');
    const id = (await packages.rowsOf('swept'))[0]!.id;
    await modelAdmin.remove('swept', '1');
    await packages.runCleanup();
    expect(packages.isStored(id)).toBe(true);
    await packages.expireLinks();
    await packages.runCleanup();
    expect(packages.isStored(id)).toBe(false);
    await packages.runCleanup();
    const { rows } = await site.database.pool.query(
      'SELECT purged_at IS NOT NULL AS purged FROM catalogue.packages WHERE id = $1',
      [id],
    );
    expect(rows).toEqual([{ purged: true }]);
    expect((await site.console.request('GET', '/api/models/swept')).body).toMatchObject({ version: '2' });
  });

  it('goes on with other packages when the storage fails, and repeats the failed one', async () => {
    const ids: string[] = [];
    for (const slug of ['stuck', 'free']) {
      await modelAdmin.publish(slug, '1');
      await modelAdmin.publish(slug, '2');
      ids.push((await packages.rowsOf(slug))[0]!.id);
      await modelAdmin.remove(slug, '1');
    }
    await packages.expireLinks();
    const [stuck, free] = ids as [string, string];
    const release = packages.obstruct(stuck);
    await packages.runCleanup();
    expect([stuck, free].map((id) => packages.isStored(id))).toEqual([true, false]);
    release();
    await packages.runCleanup();
    const { rows } = await site.database.pool.query(
      'SELECT purged_at IS NOT NULL AS purged FROM catalogue.packages WHERE id = ANY ($1)',
      [ids],
    );
    expect(rows).toEqual([{ purged: true }, { purged: true }]);
  });
});
