import { type TestPool, waitFor, waitForLock } from '@inference/testing';
import { type DocumentResponse } from '../documents/document.dto';
import { MemoSite, type Person } from '../memo.fixture';
import { indexTermsOf } from '../retrieval/analysis/terms';
import { collectGarbage } from '../retrieval/index/garbage-collection';
import { SegmentBuilder } from '../retrieval/index/segment-builder';
import { discardVersion } from '../retrieval/index/storage/garbage.repository';
import { insertPostings } from '../retrieval/index/storage/postings.repository';
import { insertSegment } from '../retrieval/index/storage/segments.repository';
import { IndexedWorkspace } from '../retrieval/ranking/indexed-workspace.fixture';
import { recoverLostWork } from './ingestion-queue';
import { VersionWriter } from './versions/document-ingestor';
import { type ClaimedVersion, claimVersion } from './versions/version-claims.repository';

const CHUNK = { n: 0, startAt: 0, lead: '', text: 'Words.' };

let site: MemoSite;
let owner: Person;
let workspace: string;

beforeAll(async () => {
  site = await MemoSite.start();
  owner = await site.person();
});
beforeEach(async () => (workspace = await owner.newWorkspace()));
afterAll(() => site?.stop());

const count = async (text: string, values: unknown[]) =>
  (await site.pool.query<{ n: number }>(`SELECT count(*)::integer AS n ${text}`, values)).rows[0]!.n;
const remove = (id: string) => owner.json('DELETE', `/${workspace}/documents/${id}`, undefined, 204);
const cleanAll = async () => {
  while (await collectGarbage(site.pool, new AbortController().signal));
};

/** A document that this test has claimed, like a worker. */
async function claimed(): Promise<ClaimedVersion> {
  const path = `/${workspace}/documents`;
  const { id } = await owner.json<DocumentResponse>('POST', path, { title: 'A', text: 'Words.' }, 201);
  return (await claimVersion(site.pool, { document_id: id, version: 1 }, 'reader'))!;
}

/** Runs statements in a transaction that the test ends. */
async function openTransaction() {
  const client = await site.pool.connect();
  await client.query('BEGIN');
  const query = client.query.bind(client);
  const pool = Object.assign(Object.create(site.pool) as TestPool, { query });
  return { pool, commit: () => client.query('COMMIT').finally(() => client.release()) };
}

it('leaves no chunks of a document that is deleted while they are inserted', async () => {
  const version = await claimed();
  const { pool, commit } = await openTransaction();
  expect(await new VersionWriter(pool, version).writeChunks([CHUNK])).toBe(true);
  const deletion = remove(version.documentId);
  await waitForLock(site.pool);
  await commit();
  await deletion;
  await cleanAll();
  expect(await new VersionWriter(site.pool, version).writeChunks([{ ...CHUNK, n: 1 }])).toBe(false);
  expect(await count('FROM memo.chunks WHERE document_id = $1', [version.documentId])).toBe(0);
});

it('leaves no postings of a segment that is deleted while they are inserted', async () => {
  const { documentId, version } = await claimed();
  const builder = new SegmentBuilder();
  builder.add({ ...indexTermsOf('some words', 'en'), language: 'en' });
  const { segment, postings } = builder.build();
  const id = await insertSegment(site.pool, { documentId, version }, segment);
  const { pool, commit } = await openTransaction();
  await insertPostings(pool, id, postings);
  await discardVersion(site.pool, documentId, version);
  const cleaning = cleanAll();
  await waitForLock(site.pool);
  await commit();
  await cleaning;
  await insertPostings(site.pool, id, postings);
  expect(await count('FROM memo.postings WHERE segment_id = $1', [id])).toBe(0);
});

it('deletes only jobs of killed processes, after a day', async () => {
  const path = `/${workspace}/documents`;
  // Too long for a batch, so it has a job of its own.
  const text = 'Words. '.repeat(20_000);
  const { id } = await owner.json<DocumentResponse>('POST', path, { title: 'A', text }, 201);
  const jobs = async () => {
    await recoverLostWork(site.pool, undefined);
    const list = "SELECT key FROM memo_jobs._private_jobs WHERE payload->>'document_id' = $1 ORDER BY id";
    return (await site.pool.query<{ key: string | null }>(list, [id])).rows.map(({ key }) => key);
  };
  const age = (set: string, where: string) =>
    site.pool.query(`UPDATE memo_jobs._private_jobs SET ${set} WHERE ${where}`);
  await age("attempts = 1, locked_at = now() - interval '1 minute'", `key = '${id}:1'`);
  await site.pool.query("UPDATE memo.document_versions SET heartbeat_at = now() - interval '1 minute'");
  expect(await jobs()).toEqual([null, `${id}:1`]);
  await age("locked_at = now() - interval '23 hours', run_at = now() - interval '2 days'", 'key IS NULL');
  expect(await jobs()).toEqual([null, `${id}:1`]);
  await age("locked_at = now() - interval '25 hours'", 'key IS NULL');
  // A job that failed for good is not queued again while it exists.
  await age("attempts = max_attempts, run_at = now() - interval '2 days'", `key = '${id}:1'`);
  expect(await jobs()).toEqual([`${id}:1`]);
});

it('deletes all discarded data, however many jobs it takes', async () => {
  await site.pool.query(
    "INSERT INTO memo.garbage (document_id, version) SELECT 'doc_gone' || n, 1 FROM generate_series(1, 120) n",
  );
  await site.pool.query(
    "INSERT INTO memo.chunks SELECT 'doc_gone120', 1, n, 0, '', '' FROM generate_series(1, 5000) n",
  );
  site.startIngestion();
  await waitFor(async () => (await count('FROM memo.garbage', [])) === 0);
  expect(await count("FROM memo.chunks WHERE document_id = 'doc_gone120'", [])).toBe(0);
});

it('removes deleted documents from the index even if nothing else changes', async () => {
  const index = IndexedWorkspace.of(site.pool, workspace, owner.accountId);
  const { id } = await index.add(Array.from({ length: 1_024 }, () => 'a word'));
  site.startIngestion();
  await remove(id);
  await waitFor(async () => (await index.segments()).length === 0);
  expect(await index.retired()).toEqual([]);
});

it('merges until nothing is left to merge', async () => {
  const index = IndexedWorkspace.of(site.pool, workspace, owner.accountId);
  // With one more small segment these are merged into a larger one, which completes its tier.
  const sizes = [...Array<number>(7).fill(1_024), ...Array<number>(47).fill(22)];
  const chunks = sizes.reduce((sum, size) => sum + size, 0);
  await index.add(Array<string>(chunks).fill('a word'), sizes);
  await site.pool.query('UPDATE memo.workspaces SET next_chunk = $2 WHERE id = $1', [workspace, chunks]);
  site.startIngestion();
  await owner.addDocument(workspace, { title: 'A', text: 'Another word.' });
  await waitFor(async () => (await index.segments()).length === 1);
  expect(await index.segments()).toEqual([chunks + 1]);
});
