import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { waitFor, waitForLock } from '@inference/testing';
import { type DocumentResponse } from '../documents/document.dto';
import { form } from '../documents/uploads/uploads.fixture';
import { MemoSite, type Person } from '../memo.fixture';
import { SHORT_DOCUMENTS_ONLY } from './worker-supervisor';

let site: MemoSite;
let owner: Person;
let workspace: string;

beforeAll(async () => {
  site = await MemoSite.start();
  owner = await site.person();
});
beforeEach(async () => (workspace = await owner.newWorkspace()));
afterAll(() => site?.stop());

const SENTENCES = 'The quick brown fox jumps over the lazy dog. Pack my box with five dozen liquor jugs.\n\n';
/** Some thousand chunks. */
const LONG = SENTENCES.repeat(25_000);
/** A chunk in the middle, after the first mebibyte, where progress is reported. */
const MIDDLE = 1_600;
const post = (body: object, status = 201) =>
  owner.json<DocumentResponse>('POST', `/${workspace}/documents`, body, status);
const find = (id: string) => owner.json<DocumentResponse>('GET', `/${workspace}/documents/${id}`);
const found = async (query: string) =>
  (
    await owner.json<{ results: { document_id: string; version: number }[] }>(
      'POST',
      `/${workspace}/search`,
      {
        query,
      },
    )
  ).results.map(({ document_id: id, version }) => [id, version]);
const textOf = async (id: string) => (await owner.call('GET', `/${workspace}/documents/${id}/text`)).text();
const working = (id: string) => waitFor(async () => (await find(id)).status === 'processing');

/** Blocks the process that reads the document at this chunk, until the returned function is called. */
async function holdAt(id: string, n: number): Promise<() => Promise<void>> {
  const holder = await site.pool.connect();
  await holder.query('BEGIN');
  await holder.query("INSERT INTO memo.chunks VALUES ($1, 1, $2, 0, '', '')", [id, n]);
  return async () => {
    await holder.query('ROLLBACK');
    holder.release();
  };
}
/** A document that is read only up to its middle, and the worker that reads it. */
async function halfRead(): Promise<{ id: string; worker: ChildProcess; letGo: () => Promise<void> }> {
  const { id } = await post({ title: 'Long', text: LONG });
  const letGo = await holdAt(id, MIDDLE);
  const worker = site.startIngestion();
  await waitForLock(site.pool);
  return { id, worker, letGo };
}

async function kill(worker: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  const ended = once(worker, 'exit');
  if (signal === 'SIGKILL') worker.kill(signal);
  else worker.disconnect();
  await ended;
}

async function attemptsAt(id: string): Promise<number> {
  const text = 'SELECT attempts FROM memo.document_versions WHERE document_id = $1';
  return (await site.pool.query<{ attempts: number }>(text, [id])).rows[0]!.attempts;
}

/** The connections of all workers. */
const breakConnections = () =>
  site.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name IN ('memo ingestion', 'memo queue')`,
  );

async function expectToBeWhole(id: string): Promise<void> {
  expect(await textOf(id)).toBe(LONG.trimEnd());
  const { rows } = await site.pool.query<{ stored: number; indexed: number; parts: number }>(
    `SELECT (SELECT count(*)::integer FROM memo.chunks WHERE document_id = $1) AS stored,
       (SELECT sum(chunks)::integer FROM memo.segments WHERE workspace_id = $2) -
         (SELECT count(*)::integer FROM memo.documents WHERE workspace_id = $2 AND id <> $1) AS indexed,
       (SELECT count(*)::integer FROM memo.source_parts p
         WHERE NOT EXISTS (SELECT FROM memo.document_versions v WHERE v.upload_id = p.upload_id AND v.status = 'failed')) AS parts`,
    [id, workspace],
  );
  const { chunk_count: chunks } = await find(id);
  expect(rows).toEqual([{ stored: chunks, indexed: chunks, parts: 0 }]);
}

/** Makes the last heartbeat older than the claim timeout. */
const forget = () =>
  site.pool.query(
    `WITH jobs AS (UPDATE memo_jobs._private_jobs SET locked_at = locked_at - interval '1 minute')
     UPDATE memo.document_versions SET heartbeat_at = heartbeat_at - interval '1 minute' WHERE status IN ('queued', 'processing')`,
  );

describe('a document', () => {
  let worker: ChildProcess;
  beforeAll(() => (worker = site.startIngestion()));
  afterAll(() => kill(worker, 'SIGTERM'));

  it('is read, stored word for word and found', async () => {
    const text = `\uFEFF  First line\r\n\tsecond\0 line.\n\n\n${SENTENCES.repeat(40)}Ende 结束 \ud83d\ude00\n`;
    const { id } = await post({ title: 'Words', text: text.replace('\0', '') });
    const document = await owner.finished(workspace, id);
    expect(document).toMatchObject({ status: 'ready', serving_version: 1, progress: null, error: null });
    expect(document.chunk_count).toBeGreaterThan(3);
    const kept = text.replace('\uFEFF', '').replace('\0', '').replace('\r\n', '\n').trimEnd();
    expect(await textOf(id)).toBe(kept);
    expect((await found('liquor jugs'))[0]).toEqual([id, 1]);
    const { rows } = await site.pool.query('SELECT FROM memo.source_parts');
    expect(rows).toEqual([]);
  });

  it('a document from a file is found by its contents', async () => {
    const document = await owner.addDocument(
      workspace,
      form('<p>Der Zug fährt ab.</p><script>nein</script>', 'a.html'),
    );
    expect(document).toMatchObject({ status: 'ready', media_type: 'text/html', chunk_count: 1 });
    expect(await textOf(document.id)).toBe('Der Zug fährt ab.');
  });

  it.each([
    ['empty', 'a.txt', ' \n ', 'empty'],
    ['corrupt', 'a.pdf', '%PDF-1.7 broken', 'corrupt'],
    ['another thing than its name says', 'a.docx', 'PK\x03\x04 broken', 'corrupt'],
  ])('a document that is %s fails with a reason', async (_what, name, content, code) => {
    const document = await owner.addDocument(workspace, form(content, name));
    expect(document).toMatchObject({
      status: 'failed',
      serving_version: null,
      chunk_count: 0,
      error: { code, message: expect.stringMatching(/^[A-Z].*\.$/) as string },
    });
    const kept = await site.pool.query(
      'SELECT FROM memo.source_parts JOIN memo.document_versions USING (upload_id) WHERE document_id = $1',
      [document.id],
    );
    expect(kept.rowCount).toBe(1);
  });
});

describe('a new version', () => {
  it('replaces the previous one at once, and only when it is ready', async () => {
    const worker = site.startIngestion();
    const { id } = await owner.addDocument(workspace, {
      title: 'A',
      text: 'Apples are red.',
      external_id: 'a',
    });
    await kill(worker, 'SIGTERM');
    expect(await post({ title: 'B', text: 'Bananas are yellow.', external_id: 'a' }, 200)).toMatchObject({
      ...{ id, version: 2, status: 'queued', serving_version: 1, chunk_count: 1, title: 'B' },
    });
    expect(await found('apples')).toEqual([[id, 1]]);
    expect(await found('bananas')).toEqual([]);
    const another = site.startIngestion();
    expect(await owner.finished(workspace, id)).toMatchObject({ status: 'ready', serving_version: 2 });
    expect(await found('apples')).toEqual([]);
    expect(await found('bananas')).toEqual([[id, 2]]);
    expect(await textOf(id)).toBe('Bananas are yellow.');
    await kill(another, 'SIGTERM');
  });

  it('a new version that fails leaves the previous one published', async () => {
    const worker = site.startIngestion();
    const { id } = await owner.addDocument(workspace, { title: 'A', text: 'Apples are red.' });
    await owner.json('PUT', `/${workspace}/documents/${id}`, form('%PDF-1.7 broken', 'a.pdf'));
    expect(await owner.finished(workspace, id)).toMatchObject({
      ...{ status: 'failed', version: 2, serving_version: 1, chunk_count: 1, error: { code: 'corrupt' } },
    });
    expect(await found('apples')).toEqual([[id, 1]]);
    await owner.json('PUT', `/${workspace}/documents/${id}`, { title: 'A', text: 'Apples are green.' });
    expect(await owner.finished(workspace, id)).toMatchObject({ status: 'ready', version: 3, error: null });
    await kill(worker, 'SIGTERM');
  });
});

describe('a worker process', () => {
  it('reports its progress', async () => {
    const { id, worker, letGo } = await halfRead();
    const seen: number[] = [];
    const look = async () => {
      const { progress, status } = await find(id);
      if (progress?.total) seen.push(progress.processed / progress.total);
      return status;
    };
    await waitFor(async () => (await look()) === 'processing' && seen.some((share) => share > 0));
    expect(Math.max(...seen)).toBeLessThan(1);
    await letGo();
    await waitFor(async () => (await look()) === 'ready');
    expect(seen).toEqual([...seen].sort((one, other) => one - other));
    await kill(worker, 'SIGTERM');
  });

  it('returns its document to the queue when it is stopped', async () => {
    const { id, worker, letGo } = await halfRead();
    const killed = kill(worker, 'SIGTERM');
    await letGo();
    await killed;
    expect(await find(id)).toMatchObject({ status: 'queued' });
    await owner.json('DELETE', `/${workspace}/documents/${id}`, undefined, 204);
  });

  it('a killed worker is replaced by another one, and nothing is stored twice', async () => {
    const { id, worker, letGo } = await halfRead();
    await kill(worker);
    await letGo();
    await forget();
    const second = site.startIngestion();
    await owner.finished(workspace, id);
    await expectToBeWhole(id);
    await kill(second, 'SIGTERM');
  });

  it('a worker that is killed before it starts is replaced by another one', async () => {
    const { id } = await post({ title: 'A', text: 'Apples are red.' });
    await site.pool.query('UPDATE memo_jobs._private_jobs SET locked_at = now(), attempts = 1');
    await forget();
    const worker = site.startIngestion();
    await owner.finished(workspace, id);
    await kill(worker, 'SIGTERM');
  });

  it('continues after an outage of the database during a document, and reads it once', async () => {
    const { id, worker, letGo } = await halfRead();
    // All connections break for longer than the queue retries by itself.
    const isAway = setInterval(() => void breakConnections().catch(() => undefined), 50);
    await wait(3_000);
    clearInterval(isAway);
    await letGo();
    expect((await owner.addDocument(workspace, { title: 'Next', text: 'Next.' })).status).toBe('ready');
    expect(worker.exitCode).toBeNull();
    await forget();
    // A worker runs the recovery when it starts; a running one only from time to time.
    const second = site.startIngestion();
    await waitFor(async () => (await find(id)).status === 'ready');
    await expectToBeWhole(id);
    await Promise.all([worker, second].map((each) => kill(each, 'SIGTERM')));
  });

  it('leaves long documents to the others and reads short ones meanwhile', async () => {
    const { id, worker, letGo } = await halfRead();
    const short = site.startIngestion({}, [SHORT_DOCUMENTS_ONLY]);
    const next = await post({ title: 'Long', text: `${LONG}More.` });
    expect((await owner.addDocument(workspace, { title: 'Next', text: 'Next.' })).status).toBe('ready');
    expect([(await find(id)).status, (await find(next.id)).status]).toEqual(['processing', 'queued']);
    await letGo();
    await owner.finished(workspace, next.id);
    await Promise.all([worker, short].map((each) => kill(each, 'SIGTERM')));
  });

  it('skips a document that has ended three processes', async () => {
    const { id } = await post({ title: 'Long', text: LONG });
    const letGo = await holdAt(id, MIDDLE);
    for (let i = 0; i < 3; i++) {
      const worker = site.startIngestion();
      await waitFor(async () => (await attemptsAt(id)) === i + 1);
      await kill(worker);
      await forget();
    }
    await letGo();
    const last = site.startIngestion();
    const document = await owner.finished(workspace, id);
    expect(document).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
    await kill(last, 'SIGTERM');
  });

  it('leaves nothing of a document that is deleted while it is read', async () => {
    const worker = site.startIngestion();
    const { id } = await post({ title: 'Long', text: LONG });
    await working(id);
    await owner.json('DELETE', `/${workspace}/documents/${id}`, undefined, 204);
    const rest = () =>
      site.pool.query(
        `SELECT FROM memo.chunks WHERE document_id = $1 UNION ALL SELECT FROM memo.segments WHERE document_id = $1
         UNION ALL SELECT FROM memo.garbage`,
        [id],
      );
    const after = await owner.addDocument(workspace, { title: 'Next', text: 'Next.' });
    expect(after.status).toBe('ready');
    await waitFor(async () => (await rest()).rowCount === 0, 60_000);
    await kill(worker, 'SIGTERM');
  });
});
