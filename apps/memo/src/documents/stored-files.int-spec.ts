import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { onePage, shown } from '../ingestion/extraction/pdf/pdf.fixture';
import { MemoSite, type Person } from '../memo.fixture';
import { type DocumentResponse } from './document.dto';
import { form, partsStored } from './uploads/uploads.fixture';

/** Files that are kept: those of PDFs, to show their pages, and those of failed versions, to read them again. */

let site: MemoSite;
let owner: Person;
let workspace: string;
let worker: ChildProcess;

const REFUNDS = onePage(['', shown('Refunds are issued within five days.')]);
const OTHER = onePage(['', shown('Refunds are issued within nine days.')]);

beforeAll(async () => {
  site = await MemoSite.start();
  worker = site.startIngestion();
  owner = await site.person();
});
beforeEach(async () => (workspace = await owner.newWorkspace()));
afterEach(() => owner.json('DELETE', `/${workspace}`, undefined, 204));
afterAll(() => site?.stop());

const pathOf = (id: string, more = '') => `/${workspace}/documents/${id}${more}`;
const file = (id: string, person = owner) => person.call('GET', pathOf(id, '/file'));
const retry = (id: string) => owner.json<DocumentResponse>('POST', pathOf(id, '/retry'));
/** As versions of the service did that kept no files. */
async function forgetFile(id: string): Promise<void> {
  await site.pool.query(
    `WITH forgotten AS (
       UPDATE memo.document_versions v SET upload_id = NULL
       FROM memo.document_versions old WHERE old.document_id = v.document_id AND v.document_id = $1
       RETURNING old.upload_id)
     DELETE FROM memo.source_parts WHERE upload_id IN (SELECT upload_id FROM forgotten)`,
    [id],
  );
}

it('returns the file of a PDF until the document is replaced or deleted', async () => {
  const document = await owner.addDocument(workspace, form(REFUNDS, 'refunds.pdf'));
  expect(document).toMatchObject({ status: 'ready', has_file: true });
  const answer = await file(document.id);
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/pdf',
    'content-length': String(REFUNDS.length),
    'content-disposition': 'attachment',
    'x-content-type-options': 'nosniff',
    'x-document-version': '1',
  });
  expect(Buffer.from(await answer.arrayBuffer()).equals(REFUNDS)).toBe(true);
  await owner.json('PUT', pathOf(document.id), form(OTHER, 'refunds.pdf'));
  await owner.finished(workspace, document.id);
  expect(await partsStored(site.pool)).toBe(1);
  expect(Buffer.from(await (await file(document.id)).arrayBuffer()).equals(OTHER)).toBe(true);
  await owner.json('DELETE', pathOf(document.id), undefined, 204);
  expect((await file(document.id)).status).toBe(404);
  expect(await partsStored(site.pool)).toBe(0);
});

it('deletes the files with their workspace', async () => {
  const other = await owner.newWorkspace();
  await owner.addDocument(other, form(REFUNDS, 'refunds.pdf'));
  await owner.json('DELETE', `/${other}`, undefined, 204);
  expect(await partsStored(site.pool)).toBe(0);
});

it('returns no file of another format, of another workspace, or to somebody else', async () => {
  const text = await owner.addDocument(workspace, form('Parcels are sent on Mondays.', 'parcels.txt'));
  expect(text.has_file).toBe(false);
  const missing = [404, 'the file of this document is not stored'];
  expect(await owner.refusal('GET', pathOf(text.id, '/file'))).toEqual(missing);
  const pdf = await owner.addDocument(workspace, form(REFUNDS, 'refunds.pdf'));
  const other = await owner.newWorkspace();
  expect((await owner.call('GET', `/${other}/documents/${pdf.id}/file`)).status).toBe(404);
  expect((await file(pdf.id, await site.person())).status).toBe(404);
  await owner.json('DELETE', `/${other}`, undefined, 204);
});

it('returns no file of a PDF that was read before files were kept', async () => {
  const { id } = await owner.addDocument(workspace, form(REFUNDS, 'refunds.pdf'));
  await forgetFile(id);
  expect(await owner.json<DocumentResponse>('GET', pathOf(id))).toMatchObject({ has_file: false });
  expect((await file(id)).status).toBe(404);
});

it('reads a failed document once more, under the next version', async () => {
  const failed = await owner.addDocument(workspace, form('%PDF-1.7 broken', 'a.pdf'));
  expect(failed).toMatchObject({ status: 'failed', version: 1, error: { code: 'corrupt' } });
  expect((await file(failed.id)).status).toBe(404);
  // A later version of the service may read what this one does not.
  await site.pool.query(
    `UPDATE memo.source_parts SET bytes = $2
     WHERE upload_id = (SELECT upload_id FROM memo.document_versions WHERE document_id = $1)`,
    [failed.id, REFUNDS],
  );
  expect(await retry(failed.id)).toMatchObject({ status: 'queued', version: 2, error: null });
  expect(await owner.finished(workspace, failed.id)).toMatchObject({ status: 'ready', serving_version: 2 });
  const { results } = await owner.json<{ results: unknown[] }>('POST', `/${workspace}/search`, {
    query: 'refunds',
  });
  expect(results).toHaveLength(1);
});

it('fails again with the same reason, and can be tried again', async () => {
  const { id } = await owner.addDocument(workspace, form(' \n ', 'blank.txt'));
  for (const version of [2, 3]) {
    await retry(id);
    expect(await owner.finished(workspace, id)).toMatchObject({
      ...{ status: 'failed', version, serving_version: null },
      error: { code: 'empty' },
    });
  }
  await owner.json('PUT', pathOf(id), form('Parcels are sent on Mondays.', 'blank.txt'));
  expect(await owner.finished(workspace, id)).toMatchObject({ status: 'ready', version: 4 });
  expect(await partsStored(site.pool)).toBe(0);
});

it('reads a document alone and twice at most after it was interrupted again and again', async () => {
  const ended = once(worker, 'exit');
  worker.disconnect();
  await ended;
  const { id } = await owner.json<DocumentResponse>(
    'POST',
    `/${workspace}/documents`,
    form('Parcels are sent on Mondays.', 'parcels.txt'),
    201,
  );
  await site.pool.query('DELETE FROM memo_jobs._private_jobs');
  await site.pool.query(
    `UPDATE memo.document_versions SET status = 'failed', attempts = 4, error_code = 'interrupted', error_message = 'Interrupted.'
     WHERE document_id = $1`,
    [id],
  );
  await retry(id);
  const { rows } = await site.pool.query('SELECT key FROM memo_jobs.jobs');
  expect(rows).toEqual([{ key: `${id}:2` }]);
  worker = site.startIngestion();
  expect(await owner.finished(workspace, id)).toMatchObject({ status: 'ready', version: 2 });
});

it('does not read again what has not failed or is not stored, or for whom may only read', async () => {
  const { id } = await owner.addDocument(workspace, form('Parcels are sent on Mondays.', 'parcels.txt'));
  const failed = await owner.addDocument(workspace, form(' \n ', 'blank.txt'));
  const reader = await site.person();
  await owner.addMember(workspace, reader, 'viewer');
  expect((await reader.refusal('POST', pathOf(failed.id, '/retry')))[0]).toBe(403);
  await forgetFile(failed.id);
  for (const kept of [id, failed.id]) {
    expect((await owner.refusal('POST', pathOf(kept, '/retry')))[0]).toBe(409);
    expect(await owner.json('GET', pathOf(kept))).toMatchObject({ version: 1 });
  }
  expect(await owner.refusal('POST', pathOf('doc_0', '/retry'))).toEqual([404, 'no such document']);
});
