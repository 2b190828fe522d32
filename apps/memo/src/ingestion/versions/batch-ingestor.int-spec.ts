import { type DocumentResponse } from '../../documents/document.dto';
import { SourceFileStore } from '../../documents/source-files/source-file-store';
import { MemoSite, type Person } from '../../memo.fixture';
import { ExtractionError } from '../../tables/extraction-error';
import { builtThread } from '../extraction-thread/extraction-thread.fixture';
import { BatchIngestor } from './batch-ingestor';

let site: MemoSite;
let owner: Person;
let workspace: string;
const thread = builtThread();

beforeAll(async () => {
  site = await MemoSite.start();
  owner = await site.person();
});
beforeEach(async () => (workspace = await owner.newWorkspace()));
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await thread.close();
  await site?.stop();
});

const SLOW = 'This takes too long.';
/** Uploads documents. `slow` is the one that makes its batch fail, if any. */
async function upload(count: number, slow?: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await owner.json<DocumentResponse>(
      'POST',
      `/${workspace}/documents`,
      { title: 'A', text: n === slow ? SLOW : 'Words.' },
      201,
    );
}

/** Runs a batch. Returns how many documents were read together, and calls `onFailure` before a failure. */
async function ingest(
  onFailure: () => Promise<unknown>,
  stopping = new AbortController().signal,
  embeddingModel?: string,
) {
  const sizes: number[] = [];
  const extractBatch = thread.extractBatch.bind(thread);
  jest.spyOn(thread, 'extractBatch').mockImplementation(async (sources, signal) => {
    sizes.push(sources.length);
    if (!sources.some(({ bytes }) => Buffer.from(bytes).equals(Buffer.from(SLOW))))
      return extractBatch(sources, signal);
    await onFailure();
    throw new ExtractionError('too_complex', 'Reading the document takes too long.');
  });
  const ingestor = new BatchIngestor(
    site.pool,
    { embeddingModel } as ConstructorParameters<typeof BatchIngestor>[1],
    new SourceFileStore(site.pool),
    thread,
  );
  await ingestor.ingest({ workspace_id: workspace }, stopping);
  return sizes;
}

/** Number of documents by status and attempts. */
async function counts(): Promise<Record<string, number>> {
  const { rows } = await site.pool.query<{ state: string; n: number }>(
    `SELECT status || ' ' || attempts AS state, count(*)::integer AS n FROM memo.document_versions
     WHERE workspace_id = $1 GROUP BY 1`,
    [workspace],
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
}

/** Seconds since the claims of this workspace were renewed, all of them. */
async function oldestClaim(): Promise<number> {
  const { rows } = await site.pool.query<{ age: number }>(
    `SELECT extract(epoch FROM clock_timestamp() - min(heartbeat_at))::float8 AS age FROM memo.document_versions
     WHERE workspace_id = $1 AND status = 'processing'`,
    [workspace],
  );
  return rows[0]!.age;
}

it('repeats a failed batch in parts, so that few documents are read alone', async () => {
  await upload(130, 70);
  const agesBefore: number[] = [];
  const sizes = await ingest(async () => {
    agesBefore.push(await oldestClaim());
    await site.pool.query("UPDATE memo.document_versions SET heartbeat_at = heartbeat_at - interval '1 day'");
  });
  expect(sizes).toEqual([130, 64, 64, 2]);
  expect(await counts()).toEqual({ 'ready 1': 66, 'queued 1': 64 });
  // The claims were renewed before the second failure.
  expect(agesBefore.length).toBe(2);
  expect(Math.max(...agesBefore)).toBeLessThan(3_600);
});

it('queues the embedding of all published documents', async () => {
  await upload(3);
  await ingest(() => Promise.resolve(), undefined, 'model');
  const { rows } = await site.pool.query<{ keys: string[]; expected: string[] }>(
    `SELECT array(SELECT key FROM memo_jobs.jobs WHERE task_identifier = 'embed' ORDER BY key) AS keys,
       array(SELECT 'embed:' || document_id || ':1:model' FROM memo.document_versions WHERE workspace_id = $1 ORDER BY 1)
         AS expected`,
    [workspace],
  );
  expect(rows[0]!.keys).toHaveLength(3);
  expect(rows[0]!.keys).toEqual(rows[0]!.expected);
});

it('returns the parts that are left when the service stops', async () => {
  await upload(130, 0);
  const stop = new AbortController();
  let failures = 0;
  const sizes = await ingest(async () => ++failures === 2 && stop.abort(), stop.signal);
  expect(sizes).toEqual([130, 64]);
  expect(await counts()).toEqual({ 'queued 0': 130 });
});
