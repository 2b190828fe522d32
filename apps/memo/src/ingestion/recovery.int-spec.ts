import { randomUUID } from 'node:crypto';
import { type DocumentResponse } from '../documents/document.dto';
import { MemoSite, type Person } from '../memo.fixture';
import { recoverLostWork } from './ingestion-queue';
import { claimBatch } from './versions/batch-claims.repository';

let site: MemoSite;
let owner: Person;
let workspace: string;

beforeAll(async () => {
  site = await MemoSite.start();
  owner = await site.person();
});
beforeEach(async () => (workspace = await owner.newWorkspace()));
afterEach(() => owner.json('DELETE', `/${workspace}`, undefined, 204));
afterAll(() => site?.stop());

const upload = async () =>
  (await owner.json<DocumentResponse>('POST', `/${workspace}/documents`, { title: 'A', text: 'B' }, 201)).id;
const deleteJobs = () => site.pool.query('DELETE FROM memo_jobs._private_jobs');
/** Lets time pass for all documents. */
const pass = (seconds: number) =>
  site.pool.query(
    'UPDATE memo.document_versions SET heartbeat_at = heartbeat_at - make_interval(secs => $1)',
    [seconds],
  );
async function jobsAfterRecovery(): Promise<string[]> {
  await recoverLostWork(site.pool, undefined);
  const { rows } = await site.pool.query<{ key: string }>(
    "SELECT key FROM memo_jobs.jobs WHERE task_identifier LIKE 'ingest%' ORDER BY key",
  );
  return rows.map(({ key }) => key);
}

it('queues short documents whose upload was killed before it queued them', async () => {
  await upload();
  expect(await jobsAfterRecovery()).toEqual([`ingest:${workspace}`]);
  await deleteJobs();
  expect(await jobsAfterRecovery()).toEqual([]);
  // The recovery runs every 15 seconds, so that this is half a minute at most.
  await pass(15);
  expect(await jobsAfterRecovery()).toEqual([`ingest:${workspace}`]);
});

it('queues all documents of a killed batch at once', async () => {
  const ids = await Promise.all(Array.from({ length: 120 }, upload));
  expect(await claimBatch(site.pool, workspace, randomUUID())).toHaveLength(ids.length);
  await deleteJobs();
  await pass(31);
  expect(await jobsAfterRecovery()).toEqual(ids.map((id) => `${id}:1`).sort());
});
