import { inTransaction } from '@inference/database';
import { waitFor } from '@inference/testing';
import { TestConsole, TestSite } from '../console.fixture';
import { ConsoleProcess } from '../console-process.fixture';
import { LostCommit } from './lost-commit.fixture';
import { ModelDesk } from './models.fixture';
import { answerOf, PackageShelf } from './package-shelf.fixture';
import { UPLOAD_TIMES, UploadService } from './upload.service';

const TEN_BYTES = { 'Content-Length': 10 };

let site: TestSite;
let desk: ModelDesk;
let shelf: PackageShelf;

beforeAll(async () => {
  site = await TestSite.start();
  desk = new ModelDesk(site, await site.signedIn('admin'));
  shelf = new PackageShelf(site);
});
afterAll(() => site.stop());
afterEach(() => inAHurry(UPLOAD_TIMES));

const inAHurry = (times: Partial<typeof UPLOAD_TIMES>) =>
  (site.console.app.get(UploadService).times = { ...UPLOAD_TIMES, ...times });

/** The first half is on the disk. */
async function begin(slug: string, url = site.console.url, headers = TEN_BYTES) {
  const upload = desk.begin(url, slug, '1', headers);
  upload.on('error', () => undefined);
  upload.write('first');
  return { upload, ...(await shelf.arriving(slug)) };
}

const given = (slug: string) => waitFor(async () => (await shelf.rowsOf(slug)).length === 0);

describe('an upload leaves nothing', () => {
  it('when the client goes away in the middle', async () => {
    const { upload, id } = await begin('gone');
    upload.destroy();
    await given('gone');
    await waitFor(() => !shelf.isComingIn(id));
    expect(shelf.isStored(id)).toBe(false);
  });

  it('when the client sends nothing any more', async () => {
    inAHurry({ stallMillis: 100 });
    const { upload, id } = await begin('stalled');
    await new Promise((resolve) => upload.once('close', resolve));
    await given('stalled');
    await waitFor(() => !shelf.isComingIn(id));
  });

  it('when its console is told to stop', async () => {
    const stopping = await TestConsole.start(site.database.urlFor('console'));
    const { id } = await begin('stopped', stopping.url);
    await stopping.close();
    expect(await shelf.rowsOf('stopped')).toEqual([]);
    expect(shelf.isComingIn(id)).toBe(false);
  });

  it('when the storage is away, which is 503', async () => {
    const broken = await TestSite.start({ STORAGE_FOLDER: '/dev/null/nowhere' });
    const admin = new ModelDesk(broken, await broken.signedIn('admin'));
    const answer = await admin.upload('x', '1', 'content');
    expect([answer.status, answer.body]).toEqual([503, { error: 'storage unavailable' }]);
    expect((await admin.read('x')).body).toMatchObject({ packages: [] });
    await broken.stop();
  });

  it('when it was given up meanwhile', async () => {
    const { upload, id } = await begin('late');
    await shelf.endLease(id);
    await shelf.sweep();
    upload.end('-last');
    const [status, body] = await answerOf(upload);
    expect([status, JSON.parse(body)]).toEqual([409, { error: expect.any(String) }]);
    expect(await shelf.rowsOf('late')).toEqual([]);
    expect([shelf.isStored(id), shelf.isComingIn(id)]).toEqual([false, false]);
  });

  it('when the sweep had cleared it away before it came to its end', async () => {
    const { upload, id } = await begin('swept-late');
    await shelf.endLease(id);
    await shelf.sweep();
    await shelf.letLinksExpire();
    await shelf.sweep();
    expect(await shelf.countOf('swept-late')).toBe(0);
    upload.end('-last');
    const [status] = await answerOf(upload);
    expect(status).toBeGreaterThanOrEqual(409);
    expect([shelf.isStored(id), shelf.isComingIn(id)]).toEqual([false, false]);
  });
});

describe('an upload is its own', () => {
  const leaseOf = async (id: string) => {
    const { rows } = await site.database.pool.query<{ rest: number }>(
      'SELECT extract(epoch FROM uploading_until - now())::float AS rest FROM catalogue.packages WHERE id = $1',
      [id],
    );
    return rows[0]!.rest;
  };

  it('for as long as it goes on', async () => {
    inAHurry({ renewMillis: 20 });
    const { upload, id } = await begin('renewed');
    await shelf.endLease(id);
    await waitFor(async () => (await leaseOf(id)) > 600);
    upload.end('-last');
    expect((await answerOf(upload))[0]).toBe(201);
  });

  it('until somebody gives it up, which it learns before its end', async () => {
    inAHurry({ renewMillis: 20 });
    const { upload, id } = await begin('lost', site.console.url, { 'Content-Length': 1_000_000 });
    await inTransaction(site.database.pool, async (sql) => {
      await sql.query('UPDATE catalogue.packages SET removed_at = now() WHERE id = $1', [id]);
    });
    const dripping = setInterval(() => upload.write('.'), 20);
    const [status, body] = await answerOf(upload);
    clearInterval(dripping);
    expect([status, body]).toEqual([409, expect.stringContaining('begin again')]);
  });

  it('also when its console never heard that it was complete', async () => {
    const wire = await LostCommit.start(site.database.urlFor('console'), 'SET sha256 = $2');
    const other = await TestConsole.start(wire.url);
    const upload = desk.begin(other.url, 'unheard', '1', TEN_BYTES);
    upload.end('first-last');
    expect((await answerOf(upload))[0]).toBe(503);
    expect(wire.isLost).toBe(true);
    const [row] = await shelf.rowsOf('unheard');
    expect(row).toMatchObject({ stored: true });
    await shelf.sweep();
    expect(shelf.isStored(row!.id)).toBe(true);
    await other.close();
    wire.stop();
  });
});

describe('the sweep', () => {
  it('clears away what a killed console has left, and the version is free', async () => {
    const other = await ConsoleProcess.start(site, desk.admin.token);
    const { id } = await begin('killed', other.url);
    other.kill();
    await shelf.sweep();
    expect(await shelf.rowsOf('killed')).toHaveLength(1);
    expect((await desk.upload('killed', '1', 'once more')).status).toBe(201);
    await shelf.endLease(id);
    await shelf.sweep();
    await shelf.letLinksExpire();
    await shelf.sweep();
    expect(await shelf.rowsOf('killed')).toEqual([expect.objectContaining({ stored: true })]);
    expect(shelf.isComingIn(id)).toBe(false);
  });

  it('gives up no upload whose host goes on', async () => {
    const { upload } = await begin('kept');
    await shelf.sweep();
    upload.end('-last');
    expect((await answerOf(upload))[0]).toBe(201);
  });

  it('deletes the file of a removed package when no link to it can be used any more', async () => {
    await desk.publish('swept', '1');
    await desk.publish('swept', '2');
    const id = (await shelf.rowsOf('swept'))[0]!.id;
    await desk.remove('swept', '1');
    await shelf.sweep();
    expect(shelf.isStored(id)).toBe(true);
    await shelf.letLinksExpire();
    await shelf.sweep();
    expect(shelf.isStored(id)).toBe(false);
    await shelf.sweep();
    const { rows } = await site.database.pool.query(
      'SELECT purged_at IS NOT NULL AS purged FROM catalogue.packages WHERE id = $1',
      [id],
    );
    expect(rows).toEqual([{ purged: true }]);
    expect((await site.console.request('GET', '/api/models/swept')).body).toMatchObject({ version: '2' });
  });
});
