import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { waitFor, waitForLock } from '@inference/testing';
import { type DocumentResponse } from '../documents/document.dto';
import { form } from '../documents/uploads/uploads.fixture';
import { MemoSite, type Person } from '../memo.fixture';

let site: MemoSite;
let owner: Person;
let workspace: string;

beforeAll(async () => {
  site = await MemoSite.start();
  owner = await site.person();
});
beforeEach(async () => (workspace = await owner.newWorkspace()));
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => end(worker, 'SIGTERM')));
});
afterAll(() => site?.stop());

/** A worker starts with a low priority, so on a busy machine it takes long to load what it needs. */
const MAX_WORKER_START_MS = 120_000;
const workers: ChildProcess[] = [];
function startWorker(): ChildProcess {
  const worker = site.startIngestion();
  workers.push(worker);
  return worker;
}

async function end(worker: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  worker.kill('SIGCONT');
  const ended = once(worker, 'exit');
  if (signal === 'SIGKILL') worker.kill(signal);
  else worker.disconnect();
  await ended;
}

const path = () => `/${workspace}/documents`;
const post = async (body: object, status = 201) =>
  (await owner.json<DocumentResponse>('POST', path(), body, status)).id;
const find = (id: string) => owner.json<DocumentResponse>('GET', `${path()}/${id}`);
const remove = (id: string) => owner.json('DELETE', `${path()}/${id}`, undefined, 204);
async function finished(ids: string[]): Promise<DocumentResponse[]> {
  const documents: DocumentResponse[] = [];
  for (const id of ids)
    documents.push(
      await waitFor(async () => {
        const document = await find(id);
        return (document.status === 'ready' || document.status === 'failed') && document;
      }, MAX_WORKER_START_MS),
    );
  return documents;
}
const textFor = (name: string) => `The ${name} is described here.`;
/** Uploads a document for each name. No worker may run: then all of them wait for the same batch. */
async function upload(...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push(await post({ title: 'A', text: textFor(name), external_id: name }));
  return ids;
}
async function found(query: string): Promise<[id: string, version: number][]> {
  const { results } = await owner.json<{ results: { document_id: string; version: number }[] }>(
    'POST',
    `/${workspace}/search`,
    { query },
  );
  return results.map(({ document_id: id, version }) => [id, version]);
}

async function valuesOf<Value>(text: string): Promise<Value[]> {
  const { rows } = await site.pool.query<{ value: Value }>(text, [workspace]);
  return rows.map(({ value }) => value);
}
const segments = () => valuesOf<number>('SELECT chunks AS value FROM memo.segments WHERE workspace_id = $1');
const retired = () =>
  valuesOf<number>('SELECT chunks AS value FROM memo.retired_chunks WHERE workspace_id = $1');
const stored = () =>
  valuesOf<string>(
    `SELECT c.document_id AS value FROM memo.chunks c JOIN memo.documents d ON d.id = c.document_id
     WHERE d.workspace_id = $1 ORDER BY 1`,
  );
/** How many files are stored, besides those of failed versions. */
const waiting = async () =>
  (
    await site.pool.query(
      `SELECT FROM memo.source_parts p WHERE NOT EXISTS (
         SELECT FROM memo.document_versions v WHERE v.upload_id = p.upload_id AND v.status = 'failed')`,
    )
  ).rowCount;

/** Runs a statement in a transaction that blocks the batch, until the returned function is called. */
async function hold(text: string, values: unknown[]): Promise<() => Promise<void>> {
  const holder = await site.pool.connect();
  await holder.query('BEGIN');
  await holder.query(text, values);
  return async () => {
    await holder.query('ROLLBACK');
    holder.release();
  };
}
/** The batch stops between the extraction and the publication. */
const holdPublication = () =>
  hold('SELECT FROM memo.workspaces WHERE id = $1 FOR NO KEY UPDATE', [workspace]);
/** The batch stops when it inserts the chunk of this document, in the middle of the publication. */
const holdChunk = (id: string) => hold("INSERT INTO memo.chunks VALUES ($1, 1, 0, 0, '', '')", [id]);

/** Makes the claims of killed workers void. */
const forget = () =>
  site.pool.query(
    `WITH jobs AS (UPDATE memo_jobs._private_jobs SET locked_at = locked_at - interval '1 minute')
     UPDATE memo.document_versions SET heartbeat_at = heartbeat_at - interval '1 minute'
     WHERE status IN ('queued', 'processing')`,
  );

it('indexes the short documents that wait in one segment, in the order of their upload', async () => {
  const names = Array.from({ length: 40 }, (_, n) => `subject${n}`);
  const ids = await upload(...names);
  startWorker();
  for (const document of await finished(ids))
    expect(document).toMatchObject({ status: 'ready', version: 1, serving_version: 1, chunk_count: 1 });
  expect(await segments()).toEqual([40]);
  expect(await found('subject7')).toEqual([[ids[7], 1]]);
  const order = await valuesOf<string>(
    'SELECT document_id AS value FROM memo.document_versions WHERE workspace_id = $1 ORDER BY first_chunk',
  );
  expect(order).toEqual(ids);
  expect(await waiting()).toBe(0);
});

it('fails only the documents that cannot be read', async () => {
  const [first] = await upload('first');
  const blank = await post(form(' \n ', 'blank.txt'));
  const empty = await post(form('', 'empty.txt'));
  const hostile = await post(form(`x<p ${'a=1 '.repeat(15_000)}>y`, 'hostile.html'));
  const broken = await post(form('%PDF-1.7 broken', 'broken.pdf'));
  const long = await post({ title: 'A', text: 'A long text. '.repeat(10_000) });
  const [last] = await upload('last');
  startWorker();
  await finished([first!]);
  // In the same transaction.
  expect(await find(empty)).toMatchObject({ status: 'failed' });
  const documents = await finished([first!, blank, empty, hostile, broken, long, last!]);
  expect(documents.map(({ status, error }) => [status, error?.code])).toEqual([
    ['ready', undefined],
    ['failed', 'empty'],
    ['failed', 'empty'],
    ['failed', 'too_complex'],
    ['failed', 'corrupt'],
    ['ready', undefined],
    ['ready', undefined],
  ]);
  expect([await found('first'), await found('last')]).toEqual([[[first, 1]], [[last, 1]]]);
  expect(await waiting()).toBe(0);
});

it('reads documents while other keys upload without pause', async () => {
  const worker = startWorker();
  await finished(await upload('any'));
  worker.kill('SIGSTOP');
  // The worker may hold locks of the other one.
  workspace = await owner.newWorkspace();
  const [first] = await upload('first');
  // No upload ends: this is the last lock that it takes.
  const letGo = await hold(
    "SELECT pg_advisory_xact_lock(hashtextextended('memo.workspace_usage:' || $1, 0))",
    [workspace],
  );
  const uploads = ['one', 'other'].map(async (name) => {
    const { key } = await owner.json<{ key: string }>(
      'POST',
      `/${workspace}/keys`,
      { name, role: 'editor' },
      201,
    );
    return owner
      .withKey(key)
      .json<DocumentResponse>('POST', path(), { title: 'A', text: textFor(name) }, 201);
  });
  await waitForLock(site.pool, 2);
  worker.kill('SIGCONT');
  expect(await finished([first!])).toMatchObject([{ status: 'ready' }]);
  await letGo();
  expect(await finished((await Promise.all(uploads)).map(({ id }) => id))).toMatchObject([
    { status: 'ready' },
    { status: 'ready' },
  ]);
});

it('adds documents to a batch that waits without a lock on its job', async () => {
  await upload('first');
  const letGo = await hold("SELECT FROM memo_jobs._private_jobs WHERE key = 'ingest:' || $1 FOR UPDATE", [
    workspace,
  ]);
  await upload('second');
  await letGo();
});

it('does not bring back what is deleted or replaced while the batch runs', async () => {
  const [deleted, replaced, kept] = await upload('deleted', 'replaced', 'kept');
  const letGo = await holdPublication();
  startWorker();
  await waitForLock(site.pool);
  expect(await find(deleted!)).toMatchObject({ status: 'processing' });
  await remove(deleted!);
  await post({ title: 'A', text: textFor('successor'), external_id: 'replaced' }, 200);
  await letGo();
  expect(await finished([replaced!, kept!])).toMatchObject([
    { status: 'ready', version: 2, serving_version: 2 },
    { status: 'ready', version: 1, serving_version: 1 },
  ]);
  expect(await owner.refusal('GET', `${path()}/${deleted}`)).toEqual([404, 'no such document']);
  expect(await found('deleted')).toEqual([]);
  expect(await found('replaced')).toEqual([]);
  expect(await found('successor')).toEqual([[replaced, 2]]);
  expect(await found('kept')).toEqual([[kept, 1]]);
  expect(await retired()).toEqual([1, 1]);
  expect(await stored()).toEqual([replaced, kept].sort());
  expect(await waiting()).toBe(0);
});

it('replaces the published versions of several documents at once', async () => {
  const ids = await upload('one', 'two');
  const worker = startWorker();
  await finished(ids);
  await end(worker, 'SIGTERM');
  for (const name of ['one', 'two'])
    await post({ title: 'A', text: textFor(`new${name}`), external_id: name }, 200);
  expect(await found('one')).toEqual([[ids[0], 1]]);
  startWorker();
  await finished(ids);
  expect([await found('one'), await found('two')]).toEqual([[], []]);
  expect([await found('newone'), await found('newtwo')]).toEqual([[[ids[0], 2]], [[ids[1], 2]]]);
});

it.each([
  ['before the publication', () => holdPublication()],
  ['in the middle of the publication', (ids: string[]) => holdChunk(ids[5]!)],
])('reads the documents of a batch whose process is killed %s, each once', async (_when, block) => {
  const ids = await upload(...Array.from({ length: 10 }, (_, n) => `subject${n}`));
  const letGo = await block(ids);
  const worker = startWorker();
  await waitForLock(site.pool);
  await end(worker, 'SIGKILL');
  await letGo();
  await waitFor(async () => (await stored()).length === 0);
  expect(await segments()).toEqual([]);
  for (const id of ids) expect(await find(id)).toMatchObject({ status: 'processing', serving_version: null });
  await forget();
  startWorker();
  for (const document of await finished(ids)) expect(document).toMatchObject({ status: 'ready' });
  expect(await stored()).toEqual([...ids].sort());
  expect((await segments()).reduce((sum, chunks) => sum + chunks, 0)).toBe(10);
  for (const [n, id] of ids.entries()) expect(await found(`subject${n}`)).toEqual([[id, 1]]);
  expect(await waiting()).toBe(0);
});

it('returns the documents of a batch that cannot be published to the queue', async () => {
  const ids = await upload('one', 'two');
  // Any error of the publication: this chunk number is in use.
  await site.pool.query("INSERT INTO memo.chunks VALUES ($1, 1, 0, 0, '', '')", [ids[1]]);
  startWorker();
  for (const document of await finished(ids)) expect(document).toMatchObject({ status: 'ready' });
  expect([await found('one'), await found('two')]).toEqual([[[ids[0], 1]], [[ids[1], 1]]]);
});
