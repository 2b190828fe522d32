import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { waitFor } from '@inference/testing';
import { type DocumentView } from '../documents/document';
import { form } from '../documents/uploads.fixture';
import { MemoSite, type Person } from '../memo.fixture';

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
/** Takes some seconds to be read. */
const LONG = SENTENCES.repeat(60_000);
const post = (body: object, status = 201) =>
  owner.json<DocumentView>('POST', `/${workspace}/documents`, body, status);
const find = (id: string) => owner.json<DocumentView>('GET', `/${workspace}/documents/${id}`);
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

/** As if it had been silent for longer than one waits. */
const forget = () =>
  site.pool.query(
    "UPDATE memo.document_versions SET beat_at = beat_at - interval '1 minute' WHERE status = 'processing'",
  );

describe('a document', () => {
  let worker: ChildProcess;
  beforeAll(() => (worker = site.startIngestion()));
  afterAll(() => kill(worker, 'SIGTERM'));

  it('is read, kept word for word and found', async () => {
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

  it('of a file is found by what stands in it', async () => {
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
  ])('that is %s has failed, and says why', async (_what, name, content, code) => {
    const document = await owner.addDocument(workspace, form(content, name));
    expect(document).toMatchObject({
      status: 'failed',
      serving_version: null,
      chunk_count: 0,
      error: { code, message: expect.stringMatching(/^[A-Z].*\.$/) as string },
    });
    expect(await site.pool.query('SELECT FROM memo.source_parts')).toMatchObject({ rowCount: 0 });
  });

  it('shows how far it is', async () => {
    const { id } = await post({ title: 'Long', text: LONG });
    const seen: number[] = [];
    const document = await waitFor(async () => {
      const now = await find(id);
      if (now.progress?.total) seen.push(now.progress.processed / now.progress.total);
      return now.status === 'ready' && now;
    }, 120_000);
    expect(seen.some((share) => share > 0 && share < 1)).toBe(true);
    expect(seen).toEqual([...seen].sort((one, other) => one - other));
    expect(document.chunk_count).toBeGreaterThan(5_000);
    await owner.json('DELETE', `/${workspace}/documents/${id}`, undefined, 204);
    expect(await found('lazy dog')).toEqual([]);
    await waitFor(
      async () =>
        (await site.pool.query('SELECT FROM memo.chunks WHERE document_id = $1', [id])).rowCount === 0,
    );
  });
});

describe('a new version', () => {
  it('takes the place of the one before at once, and only when it is ready', async () => {
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

  it('that fails leaves the one before where it is', async () => {
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

describe('a process that reads', () => {
  it('hands back what it has in hand when it is told to end', async () => {
    const first = site.startIngestion();
    const { id } = await post({ title: 'Long', text: LONG });
    await working(id);
    await kill(first, 'SIGTERM');
    expect(await find(id)).toMatchObject({ status: 'queued' });
    const second = site.startIngestion();
    await owner.json('DELETE', `/${workspace}/documents/${id}`, undefined, 204);
    await kill(second, 'SIGTERM');
  });

  it('that is killed is followed by another one, and nothing stands twice', async () => {
    const first = site.startIngestion();
    const { id } = await post({ title: 'Long', text: LONG });
    await waitFor(
      async () =>
        (await site.pool.query('SELECT FROM memo.chunks WHERE document_id = $1', [id])).rowCount! > 0,
    );
    await kill(first);
    await forget();
    const second = site.startIngestion();
    const document = await waitFor(async () => {
      const now = await find(id);
      return now.status === 'ready' && now;
    }, 120_000);
    expect(await textOf(id)).toBe(LONG.trimEnd());
    const { rows } = await site.pool.query<{ chunks: number }>(
      'SELECT sum(chunks)::integer AS chunks FROM memo.segments WHERE workspace_id = $1',
      [workspace],
    );
    expect(rows[0]!.chunks).toBe(document.chunk_count);
    await kill(second, 'SIGTERM');
  });

  it('leaves a document alone that has ended three of them', async () => {
    const { id } = await post({ title: 'Long', text: LONG });
    for (let i = 0; i < 3; i++) {
      const worker = site.startIngestion();
      await waitFor(async () => (await attemptsAt(id)) === i + 1);
      await kill(worker);
      await forget();
    }
    const last = site.startIngestion();
    const document = await owner.finished(workspace, id);
    expect(document).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
    await kill(last, 'SIGTERM');
  });

  it('leaves nothing of a document that is deleted under its hands', async () => {
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
