import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { waitFor, waitForLock } from '@inference/testing';
import { type DocumentResponse } from '../../documents/document.dto';
import { recoverLostWork } from '../../ingestion/ingestion-queue';
import { MemoSite, type Person } from '../../memo.fixture';
import { readUnembedded, storeVectors } from './chunk-vectors.repository';
import { EmbeddingServer, send } from './embedding-server.fixture';

const MODEL = 'meaning';
/** Its chunks take several requests. */
const LONG = Array.from({ length: 90 }, (_, i) => `Part ${i}. ${`word${i} and more. `.repeat(50)}`).join(
  '\n\n',
);
const MOST_TEXTS = 32;

let server: EmbeddingServer;
let site: MemoSite;
let owner: Person;
let workspace: string;
let worker: ChildProcess | undefined;

beforeAll(async () => {
  server = await EmbeddingServer.start();
  site = await MemoSite.start({
    models: [MODEL],
    upstreams: [{ name: 'embedder', base_url: server.url, models: [MODEL] }],
    environment: { EMBEDDING_MODEL: MODEL },
  });
  owner = await site.person();
  workspace = await owner.newWorkspace();
});
beforeEach(() => (server.asked.length = 0));
afterEach(async () => {
  server.does();
  await end();
});
afterAll(async () => {
  await site?.stop();
  server?.close();
});

async function end(signal?: NodeJS.Signals): Promise<void> {
  if (!worker) return;
  const ended = once(worker, 'exit');
  if (signal) worker.kill(signal);
  else worker.disconnect();
  await ended;
  worker = undefined;
}

const embedded = async (id: string) =>
  (
    await site.pool.query<{ n: number; model: string; embedded: number }>(
      `SELECT x.n, v.embedding_model AS model, v.embedded FROM memo.chunk_vectors x
       JOIN memo.document_versions v USING (document_id, version) JOIN memo.chunk_signatures s USING (space, number)
       WHERE document_id = $1 ORDER BY x.n`,
      [id],
    )
  ).rows;
const whole = (id: string, chunks: number) =>
  waitFor(async () => {
    const rows = await embedded(id);
    return rows.length === chunks && rows.at(-1)!.embedded === chunks && rows;
  });
const jobs = async (id: string) =>
  (
    await site.pool.query<{ attempts: number }>('SELECT attempts FROM memo_jobs.jobs WHERE key LIKE $1', [
      `embed:${id}:%`,
    ])
  ).rows;

it('embeds every chunk with its title once', async () => {
  worker = site.startIngestion();
  const { id, chunk_count: chunks } = await owner.addDocument(workspace, { title: 'Manual', text: LONG });
  const rows = await whole(id, chunks);
  expect(rows.map(({ n }) => n)).toEqual(rows.map((_row, n) => n));
  expect(chunks).toBeGreaterThan(2 * MOST_TEXTS);
  const asked = server.asked.flat();
  expect(new Set(asked).size).toBe(chunks);
  expect(asked).toHaveLength(chunks);
  expect(asked.every((text) => text.startsWith('Manual\n\n'))).toBe(true);
  expect(Math.max(...server.asked.map(({ length }) => length))).toBe(MOST_TEXTS);
});

it('requests only missing vectors again after a failure of the model or a killed process', async () => {
  worker = site.startIngestion();
  let requests = 0;
  server.does((response, texts) => {
    requests += 1;
    if (requests === 2) send(response, { error: { message: 'busy' } }, 500);
    else if (requests !== 4) server.embed(response, texts);
  });
  const { id, chunk_count: chunks } = await owner.addDocument(workspace, { title: 'Manual', text: LONG });
  // The first request again after its failure, then one that is never answered.
  await waitFor(() => requests === 4);
  expect(server.asked[2]).toEqual(server.asked[1]);
  await end('SIGKILL');
  expect(await embedded(id)).toHaveLength(2 * MOST_TEXTS);
  server.does();
  await site.pool.query(
    "UPDATE memo_jobs._private_jobs SET locked_at = locked_at - interval '11 minutes' WHERE locked_at IS NOT NULL",
  );
  worker = site.startIngestion();
  await whole(id, chunks);
  expect(server.asked[4]).toEqual(server.asked[3]);
  expect(new Set(server.asked.flat()).size).toBe(chunks);
});

it('lets documents be read and found by keywords while the model is slow', async () => {
  worker = site.startIngestion();
  let hasEnded = false;
  server.does((response) => void response.once('close', () => (hasEnded = true)));
  const first = await owner.addDocument(workspace, { title: 'One', text: 'First text.' });
  await waitFor(() => server.asked.length > 0);
  const second = await owner.addDocument(workspace, { title: 'Two', text: 'Second text.' });
  expect(second.status).toBe('ready');
  expect(hasEnded).toBe(false);
  expect(await embedded(first.id)).toEqual([]);
  server.does();
  // The unanswered job is returned to the queue.
  await end();
  worker = site.startIngestion();
  for (const { id } of [first, second]) await whole(id, 1);
});

it('embeds documents that are older than the model or have vectors of another model', async () => {
  worker = site.startIngestion({ EMBEDDING_MODEL: '' });
  const old = await owner.addDocument(workspace, { title: 'Old', text: 'Old text.' });
  await end();
  expect(await embedded(old.id)).toEqual([]);
  expect(await jobs(old.id)).toEqual([]);
  worker = site.startIngestion();
  await whole(old.id, 1);
  await end();
  await site.pool.query(
    "UPDATE memo.document_versions SET embedding_model = 'before' WHERE document_id = $1",
    [old.id],
  );
  server.asked.length = 0;
  worker = site.startIngestion();
  await waitFor(async () => (await embedded(old.id))[0]?.model === MODEL);
  expect(await embedded(old.id)).toHaveLength(1);
  expect(server.asked).toEqual([['Old\n\nOld text.']]);
});

it('leaves a document ready if its uploader cannot pay, and does not retry a job that failed for good', async () => {
  const poor = await site.person(0n);
  await owner.addMember(workspace, poor, 'editor');
  worker = site.startIngestion();
  const { id, status } = await poor.addDocument(workspace, { title: 'Poor', text: 'Poor text.' });
  expect(status).toBe('ready');
  await waitFor(async () => (await jobs(id)).some(({ attempts }) => attempts > 0));
  await end();
  expect(server.asked).toEqual([]);
  await site.pool.query(
    "UPDATE memo_jobs._private_jobs SET attempts = max_attempts WHERE key LIKE 'embed:%'",
  );
  expect(await jobs(id)).toHaveLength(1);
  const givenUp = await jobs(id);
  await recoverLostWork(site.pool, MODEL);
  expect(await jobs(id)).toEqual(givenUp);
  expect(await owner.json<DocumentResponse>('GET', `/${workspace}/documents/${id}`)).toMatchObject({
    status: 'ready',
  });
});

it('stores no vectors of a document that is deleted during the model call', async () => {
  worker = site.startIngestion({ EMBEDDING_MODEL: '' });
  const { id } = await owner.addDocument(workspace, { title: 'Gone', text: 'Gone.' });
  await end();
  const served = { documentId: id, version: 1 };
  const unembedded = (await readUnembedded(site.pool, served, MODEL, MOST_TEXTS))!;
  const deletion = await site.pool.connect();
  await deletion.query('BEGIN');
  await deletion.query('DELETE FROM memo.document_versions WHERE document_id = $1', [id]);
  const storing = site.pool.transaction((transaction) =>
    storeVectors(transaction, served, MODEL, unembedded, [Float32Array.of(1, -1)]),
  );
  await waitForLock(site.pool);
  await deletion.query('COMMIT');
  deletion.release();
  await storing;
  const { rowCount } = await site.pool.query('SELECT FROM memo.chunk_vectors WHERE document_id = $1', [id]);
  expect(rowCount).toBe(0);
});
