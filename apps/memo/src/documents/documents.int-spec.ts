import { once } from 'node:events';
import { get, type IncomingMessage, request } from 'node:http';
import { finished } from 'node:stream/promises';
import { metricsOf, valueOf, waitFor } from '@inference/testing';
import { MemoSite, type Person } from '../memo.fixture';
import { type DocumentResponse } from './document.dto';
import { partsStored, POLICY, uploadsKnown } from './uploads/uploads.fixture';
import { measureOpenVersions } from '../ingestion/open-versions.repository';

/** No worker runs here, so uploads stay queued. */
let site: MemoSite;
let editor: Person;
let workspace: string;

beforeAll(async () => {
  site = await MemoSite.start();
  editor = await site.person();
});
beforeEach(async () => (workspace = `/${await editor.newWorkspace()}`));
afterAll(() => site?.stop());

const post = (body: unknown, status = 201) =>
  editor.json<DocumentResponse>('POST', `${workspace}/documents`, body, status);

describe('an existing document', () => {
  it('does not change if the same content is uploaded again', async () => {
    const first = await post({ ...POLICY, external_id: 'p' });
    const before = await partsStored(site.pool);
    expect(await post({ ...POLICY, external_id: 'p' }, 200)).toEqual(first);
    expect(await editor.json('PUT', `${workspace}/documents/${first.id}`, POLICY)).toEqual(first);
    expect(await partsStored(site.pool)).toBe(before);
    expect(await post(POLICY)).not.toMatchObject({ id: first.id });
  });

  it.each<[string, object]>([
    ['text', { text: 'Other' }],
    ['title', { title: 'Other' }],
    ['metadata', { metadata: { a: 2 } }],
  ])('gets a new version with another %s', async (_what, changes) => {
    const first = await post({ ...POLICY, external_id: 'p' });
    const second = await post({ ...POLICY, external_id: 'p', ...changes }, 200);
    expect(second).toMatchObject({ id: first.id, version: 2, status: 'queued', serving_version: null });
    const third = await editor.json<DocumentResponse>('PUT', `${workspace}/documents/${first.id}`, POLICY);
    expect(third).toMatchObject({ version: 3, external_id: 'p', title: POLICY.title });
    const { rows } = await site.pool.query(
      'SELECT version FROM memo.document_versions WHERE document_id = $1',
      [first.id],
    );
    expect(rows).toEqual([{ version: 3 }]);
    expect(await partsStored(site.pool)).toBe(await uploadsKnown(site.pool));
  });

  it('stays a single document if several callers upload it at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        editor.call('POST', `${workspace}/documents`, {
          ...POLICY,
          text: `Text ${i % 4}`,
          external_id: 'race',
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    const { documents } = await editor.json<{ documents: DocumentResponse[] }>(
      'GET',
      `${workspace}/documents`,
    );
    expect(documents).toHaveLength(1);
    expect(await partsStored(site.pool)).toBe(await uploadsKnown(site.pool));
  });

  it('cannot take the external_id of another document', async () => {
    await post({ ...POLICY, external_id: 'taken' });
    const { id } = await post({ ...POLICY, external_id: 'own' });
    const path = `${workspace}/documents/${id}`;
    expect(await editor.refusal('PUT', path, { ...POLICY, external_id: 'taken' })).toEqual([
      409,
      'external_id: is used by another document',
    ]);
    expect(await editor.json('PUT', path, { ...POLICY, external_id: 'new' })).toMatchObject({
      external_id: 'new',
    });
  });

  it('keeps its external_id if another document wants it at the same time', async () => {
    const [one, other] = [
      await post({ ...POLICY, external_id: 'x' }),
      await post({ ...POLICY, external_id: 'y' }),
    ];
    const put = ({ id }: DocumentResponse, external: string) =>
      editor.call('PUT', `${workspace}/documents/${id}`, { ...POLICY, external_id: external });
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all([put(one, 'y'), put(other, 'x')]);
      expect(answers.map(({ status }) => status)).toEqual([409, 409]);
    }
  });

  it('is deleted once', async () => {
    const { id } = await post(POLICY);
    const path = `${workspace}/documents/${id}`;
    await editor.json('DELETE', path, undefined, 204);
    const gone = [404, 'no such document'];
    for (const [method, suffix] of [
      ['GET', ''],
      ['GET', '/text'],
      ['PUT', ''],
      ['DELETE', ''],
    ] as const)
      expect(await editor.refusal(method, path + suffix, method === 'PUT' ? POLICY : undefined)).toEqual(
        gone,
      );
    expect(await partsStored(site.pool)).toBe(await uploadsKnown(site.pool));
  });

  it('is counted in the metrics until it is read', async () => {
    const waiting = async () => valueOf(await metricsOf(site.app), 'memo_open_documents{status="queued"}');
    const before = (await waiting())!;
    for (const _ of [1, 2]) await post(POLICY);
    await waitFor(async () => (await waiting()) === before + 2);
    const text = await metricsOf(site.app);
    expect(valueOf(text, 'memo_open_documents{status="processing"}')).toBe(0);
    expect(valueOf(text, 'memo_oldest_open_document_seconds{status="queued"}')).toBeGreaterThan(0);
    expect(text).toMatch(/^job_queue_ready_jobs{task="ingest(_batch)?"} [1-9]/m);
    const counted = await measureOpenVersions(site.pool, 1);
    expect(counted.reduce((sum, { documents }) => sum + documents, 0)).toBe(1);
  });

  it('leaves them out while the database is unavailable, and serves the other metrics', async () => {
    const replica = await site.startReplica({ DATABASE_URL: 'postgres://memo:none@127.0.0.1:9/none' });
    const text = await metricsOf(replica.app);
    await replica.close();
    for (const name of ['memo_open_documents', 'memo_oldest_open_document_seconds'])
      expect(text).not.toMatch(new RegExp(`^${name}{`, 'm'));
    expect(text).toMatch(/^memo_running_answers 0$/m);
  });

  it('has to be a file if it is large', async () => {
    const headers = {
      Authorization: editor.authorization,
      'Content-Type': 'application/json',
      'Content-Length': 33_554_433,
    };
    const upload = request(`${site.url}/v1/workspaces${workspace}/documents`, { method: 'POST', headers });
    upload.flushHeaders();
    const [response] = (await once(upload, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    upload.destroy();
  });

  it('does not exist in other workspaces', async () => {
    const { id } = await post(POLICY);
    const elsewhere = `/${await editor.newWorkspace()}/documents/${id}`;
    const gone = [404, 'no such document'];
    expect(await editor.refusal('GET', elsewhere)).toEqual(gone);
    expect(await editor.refusal('GET', `${elsewhere}/text`)).toEqual(gone);
    expect(await editor.refusal('PUT', elsewhere, POLICY)).toEqual(gone);
    expect(await editor.refusal('DELETE', elsewhere)).toEqual(gone);
  });

  it('is not found under an id of another form', async () => {
    for (const id of ['doc', 'wk_1', 'doc_a-b', `doc_${'1'.repeat(65)}`])
      expect(await editor.refusal('GET', `${workspace}/documents/${id}`)).toEqual([404, 'no such document']);
    expect((await editor.refusal('GET', `${workspace}/documents/doc_%00`))[0]).toBe(404);
  });

  it('has no text before a version is served', async () => {
    const { id } = await post(POLICY);
    expect(await editor.refusal('GET', `${workspace}/documents/${id}/text`)).toEqual([
      404,
      'no text of this document is served yet',
    ]);
  });

  it('is listed newest first, by status and external_id', async () => {
    const ids: string[] = [];
    for (const external of ['a', 'b', 'c'])
      ids.unshift((await post({ ...POLICY, external_id: external })).id);
    interface Page {
      documents: DocumentResponse[];
      next_cursor: string | null;
    }
    const list = async (query: string) => {
      const page = await editor.json<Page>('GET', `${workspace}/documents${query}`);
      return [page.documents.map(({ id }) => ids.indexOf(id)), page.next_cursor] as const;
    };
    const [first, cursor] = await list('?limit=2');
    expect(first).toEqual([0, 1]);
    expect(await list(`?limit=2&cursor=${cursor}`)).toEqual([[2], null]);
    expect(await list('?status=queued&external_id=b')).toEqual([[1], null]);
    expect(await list('?title=FUND%20pol')).toEqual([[0, 1, 2], null]);
    expect(await list('?title=%25')).toEqual([[], null]);
    expect(await list('?status=ready')).toEqual([[], null]);
    for (const query of [
      '?status=done',
      '?limit=0',
      '?limit=101',
      '?cursor=x',
      '?external_id=',
      '?title=',
      '?page=2',
    ])
      expect((await editor.refusal('GET', `${workspace}/documents${query}`))[0]).toBe(400);
  });
});

it('aborts the response with its text if it is deleted meanwhile', async () => {
  const { id } = await post(POLICY);
  // More than the buffers of a connection hold.
  const [chunks, characters] = [8_000, 4_000];
  await site.pool.query(
    `INSERT INTO memo.chunks (document_id, version, n, start_at, lead, text)
     SELECT $1, 1, n, n * $3, '', repeat('x', $3) FROM generate_series(0, $2 - 1) n`,
    [id, chunks, characters],
  );
  await site.pool.query(
    `UPDATE memo.document_versions SET status = 'ready', first_chunk = 0, chunk_count = $2 WHERE document_id = $1`,
    [id, chunks],
  );
  await site.pool.query('UPDATE memo.documents SET serving_version = 1 WHERE id = $1', [id]);
  const sent = get(`${site.url}/v1/workspaces${workspace}/documents/${id}/text`, {
    headers: { Authorization: editor.authorization },
  });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response, 'readable');
  await editor.json('DELETE', `${workspace}/documents/${id}`, undefined, 204);
  await site.pool.query('DELETE FROM memo.chunks WHERE document_id = $1', [id]);
  let read = 0;
  response.on('data', (bytes: Buffer) => (read += bytes.length));
  await expect(finished(response)).rejects.toThrow('aborted');
  expect([response.statusCode, response.complete]).toEqual([200, false]);
  expect(read).toBeLessThan(chunks * characters);
});

it('is deleted with its workspace', async () => {
  await post({ ...POLICY });
  await editor.json('DELETE', workspace, undefined, 204);
  expect(await partsStored(site.pool)).toBe(await uploadsKnown(site.pool));
});
