import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { waitFor } from '@inference/testing';
import { type WorkspaceRole } from '../../tables/workspace.entity';
import { MemoSite, type Person } from '../../memo.fixture';
import { type DocumentResponse } from '../document.dto';
import { fieldsOnly, form, partsStored, POLICY, sha256 } from './uploads.fixture';

/** No worker runs here, so uploads stay queued. */
const MOST_BYTES = 3 * 1_048_576;
let site: MemoSite;
let editor: Person;
let workspace: string;

beforeAll(async () => {
  site = await MemoSite.start({ environment: { MAX_DOCUMENT_BYTES: String(MOST_BYTES) } });
  editor = await site.person();
});
beforeEach(async () => (workspace = `/${await editor.newWorkspace()}`));
afterAll(() => site?.stop());

const post = (body: unknown, status = 201) =>
  editor.json<DocumentResponse>('POST', `${workspace}/documents`, body, status);
const refused = (body: unknown) => editor.refusal('POST', `${workspace}/documents`, body);

async function memberOf(role: WorkspaceRole): Promise<Person> {
  const person = await site.person();
  await editor.addMember(workspace.slice(1), person, role);
  return person;
}

describe('an upload', () => {
  it('queues a JSON upload', async () => {
    const metadata = { author: 'Ann', pages: 3, final: true, note: null };
    const document = await post({ ...POLICY, title: ' Refund policy ', external_id: 'policy-1', metadata });
    expect(document).toEqual({
      id: expect.stringMatching(/^doc_\w{22}$/) as string,
      title: 'Refund policy',
      external_id: 'policy-1',
      metadata,
      media_type: 'text/plain',
      bytes: POLICY.text.length,
      has_file: false,
      status: 'queued',
      version: 1,
      serving_version: null,
      sha256: sha256(POLICY.text),
      chunk_count: 0,
      progress: { processed: 0, total: null },
      report: null,
      error: null,
      created_by: editor.accountId,
      created_at: document.updated_at,
      updated_at: expect.any(String) as string,
    });
    expect(await editor.json('GET', `${workspace}/documents/${document.id}`)).toEqual(document);
    expect(await editor.json('GET', workspace)).toMatchObject({
      document_count: 1,
      bytes: POLICY.text.length,
    });
  });

  it.each([
    ['a.txt', 'Text', '', 'text/plain'],
    ['a.MD', '# Text', '', 'text/markdown'],
    ['a.html', '<p>Text', '', 'text/html'],
    ['a', 'Text', 'text/markdown; charset=utf-8', 'text/markdown'],
    ['a.txt', '%PDF-1.7 …', '', 'application/pdf'],
    ['records.jsonl', '{"a":1}', '', 'text/plain'],
    ['a.f90', 'end', '', 'text/plain'],
    ['a', 'x,y', 'text/csv', 'text/csv'],
    ['Makefile', 'all:', '', 'text/plain'],
    ['invitation', 'BEGIN:VCALENDAR', 'text/calendar', 'text/plain'],
    ['page.mhtml', 'From: a', '', 'message/rfc822'],
    ['a.eml', 'From: a', '', 'message/rfc822'],
    ['a.msg', '\u00d0\u00cf\u0011\u00e0', '', 'application/vnd.ms-outlook'],
    ['a.docx', 'PK\x03\x04', '', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ])(
    'the file %s containing %j gets its type from the content and the name',
    async (name, content, type, mediaType) => {
      const document = await post(form(content, name, {}, type));
      expect(document).toMatchObject({ title: name, media_type: mediaType, sha256: sha256(content) });
    },
  );

  it.each([
    ['a\u009b2Jb', 'must be one line without control characters'],
    ['a\u2028Citations: none', 'must be one line without control characters'],
    ['a\u202eb', 'must not contain invisible characters or marks of direction'],
    ['__proto__', 'must not be __proto__'],
  ])('has a title and a file name that people can read, unlike %j', async (name, fault) => {
    expect(await refused({ ...POLICY, title: name })).toEqual([400, `title: ${fault}`]);
    expect(await refused(form('A', name, {}, 'text/plain'))).toEqual([400, `title: ${fault}`]);
    expect((await post(form('A', name, { title: ' Policy ' }, 'text/plain'))).title).toBe('Policy');
  });

  it('accepts fields beside the file in any order', async () => {
    const fields = { title: 'Handbuch 手册', external_id: 'h', metadata: '{"a": 1}' };
    const made = form('Text', 'a.txt', fields);
    expect(await post(made)).toMatchObject({ title: 'Handbuch 手册', external_id: 'h', metadata: { a: 1 } });
  });

  it('is stored byte for byte, in parts', async () => {
    const content = Buffer.concat([Buffer.from('text '), randomBytes(2_500_000)]);
    const { id, bytes } = await post(form(content, 'a.txt'));
    expect(bytes).toBe(content.length);
    const { rows } = await site.pool.query<{ bytes: Buffer }>(
      `SELECT p.bytes FROM memo.source_parts p JOIN memo.document_versions v USING (upload_id)
       WHERE v.document_id = $1 ORDER BY p.n`,
      [id],
    );
    expect(rows).toHaveLength(3);
    expect(sha256(Buffer.concat(rows.map((row) => row.bytes)))).toBe(sha256(content));
  });

  it('parses a long JSON upload in a thread', async () => {
    const text = `Straße "退款" \\ \n`.repeat(120_000);
    expect(await post({ title: 'Long', text })).toMatchObject({
      bytes: Buffer.byteLength(text),
      sha256: sha256(text),
    });
  });
});

describe('an upload is refused', () => {
  it.each<[string, unknown, string]>([
    ['without a text', { title: 'A' }, 'text: is missing'],
    ['with an empty text', { title: 'A', text: ' \n' }, 'text: must not be empty'],
    ['with a text that is none', { title: 'A', text: 7 }, 'text: must be a string'],
    ['without a title', { text: 'A' }, 'title: is missing'],
    ['with an empty title', { title: ' ', text: 'A' }, 'title: must not be empty'],
    ['with more', { ...POLICY, id: 'doc_1' }, 'id: is not known here'],
    ['with a list', [POLICY], 'the body must be a JSON object'],
    ['as what is no JSON', '{"title": ', 'the body is not valid JSON'],
    [
      'with NUL in its title',
      { title: 'a\0', text: 'A' },
      'title: must not contain NUL characters or halves of surrogate pairs',
    ],
    ['with a long title', { title: 'x'.repeat(501), text: 'A' }, 'title: must have at most 500 characters'],
    ['with an empty external_id', { ...POLICY, external_id: '' }, 'external_id: must not be empty'],
    [
      'with a long external_id',
      { ...POLICY, external_id: 'x'.repeat(201) },
      'external_id: must have at most 200 characters',
    ],
    [
      'with too many pairs',
      { ...POLICY, metadata: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, i])) },
      'metadata: must have 64 pairs at most',
    ],
    [
      'with long metadata',
      { ...POLICY, metadata: { a: 'x'.repeat(513) } },
      'metadata: a must be a text of at most 512 characters, a number, true, false or null',
    ],
    [
      'with unnamed metadata',
      { ...POLICY, metadata: { '': 1 } },
      'metadata: must have names of 1 to 64 characters',
    ],
    ['with metadata that is a list', { ...POLICY, metadata: [1] }, 'metadata: must be an object'],
    [
      'with deep metadata',
      { ...POLICY, metadata: { a: { b: 1 } } },
      'metadata: a must be a text of at most 512 characters, a number, true, false or null',
    ],
  ])('%s', async (_what, body, error) => {
    const before = await partsStored(site.pool);
    expect(await refused(body)).toEqual([400, error]);
    expect(await partsStored(site.pool)).toBe(before);
  });

  it.each<[string, () => FormData, number, string]>([
    ['without a file', () => fieldsOnly({ title: 'A' }), 400, 'file: is missing'],
    ['with another field', () => form('A', 'a.txt', { id: 'x' }), 400, 'id: is not known here'],
    [
      'with metadata that is no JSON',
      () => form('A', 'a.txt', { metadata: '{' }),
      400,
      'metadata: must be JSON',
    ],
    [
      'with metadata that is null',
      () => form('A', 'a.txt', { metadata: 'null' }),
      400,
      'metadata: must not be null',
    ],
    [
      'with NUL in its metadata',
      () => form('A', 'a.txt', { metadata: String.raw`{"a": "\u0000"}` }),
      400,
      'metadata.a: must not contain NUL characters or halves of surrogate pairs',
    ],
    [
      'as a picture',
      () => form('\x89PNG', 'a.png', {}, 'image/png'),
      415,
      'multipart/form-data: the file is in none of the formats TXT, MD, HTML, PDF, DOCX, XLSX, PPTX, ODT, EPUB, CSV, RTF, EML, MSG',
    ],
    [
      'as an archive',
      () => form('PK\x03\x04', 'a.txt'),
      415,
      'multipart/form-data: the file is in none of the formats TXT, MD, HTML, PDF, DOCX, XLSX, PPTX, ODT, EPUB, CSV, RTF, EML, MSG',
    ],
  ])('refuses a form %s', async (_what, made, status, error) => {
    const before = await partsStored(site.pool);
    expect(await refused(made())).toEqual([status, error]);
    expect(await partsStored(site.pool)).toBe(before);
  });

  it('refuses a form with two files', async () => {
    const made = form('A', 'a.txt');
    made.append('file', new Blob(['B']), 'b.txt');
    expect(await refused(made)).toEqual([400, 'there must be one file, in the field file']);
  });

  const field = (name: string) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n\r\n`;
  const file = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nA\r\n';
  it.each([
    [
      'too many fields',
      Array.from({ length: 17 }, (_, n) => field(`field-${n}`)).join(''),
      'the form has too many parts',
    ],
    ['a field twice', field('title') + field('title'), 'title: must be given once'],
    ['two files', file + file, 'there must be one file, in the field file'],
  ])('refuses a form with %s before all of it has arrived', async (_what, parts, error) => {
    const { hostname: host, port } = new URL(site.url);
    const socket = connect(Number(port), host);
    socket.write(
      `POST /v1/workspaces${workspace}/documents HTTP/1.1\r\nHost: x\r\nAuthorization: ${editor.authorization}\r\n` +
        `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 2900000\r\n\r\n${parts}--x\r\n`,
    );
    const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /);
    expect(String(answer)).toContain(JSON.stringify({ error }));
    socket.destroy();
  });

  it('refuses a malformed form', async () => {
    const type = { 'Content-Type': 'multipart/form-data; boundary=x' };
    for (const body of [
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nbroken',
      'y',
    ]) {
      const response = await editor.call('POST', `${workspace}/documents`, body, type);
      expect([response.status, await response.json()]).toEqual([
        400,
        { error: expect.stringMatching(/^the form cannot be read: /) as string },
      ]);
    }
    const noBoundary = { 'Content-Type': 'multipart/form-data' };
    expect((await editor.call('POST', `${workspace}/documents`, 'y', noBoundary)).status).toBe(400);
  });

  it('refuses another content type', async () => {
    const response = await editor.call('POST', `${workspace}/documents`, 'text', {
      'Content-Type': 'text/plain',
    });
    expect(response.status).toBe(415);
    const packed = { 'Content-Encoding': 'gzip' };
    expect((await editor.call('POST', `${workspace}/documents`, POLICY, packed)).status).toBe(415);
    const plain = { 'Content-Encoding': 'Identity' };
    expect((await editor.call('POST', `${workspace}/documents`, POLICY, plain)).status).toBe(201);
  });

  it('refuses an upload that is too large, with or without a declared length', async () => {
    const large = Buffer.alloc(MOST_BYTES + 1, 'a');
    const error = `a document has ${MOST_BYTES} bytes at most`;
    const before = await partsStored(site.pool);
    expect(await refused(form(large, 'a.txt'))).toEqual([413, error]);
    expect(await refused({ title: 'A', text: large.toString() })).toEqual([413, error]);
    expect(await refused({ title: 'A', text: 'a'.repeat(3 * MOST_BYTES) })).toEqual([413, error]);
    expect(await partsStored(site.pool)).toBe(before);
  });

  it('stores nothing of an upload whose sender disconnects', async () => {
    const before = await partsStored(site.pool);
    const { hostname: host, port } = new URL(site.url);
    const socket = connect(Number(port), host);
    await once(socket, 'connect');
    socket.write(
      `POST /v1/workspaces${workspace}/documents HTTP/1.1\r\nHost: x\r\nAuthorization: ${editor.authorization}\r\n` +
        `Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 2900000\r\n\r\n` +
        `--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${'a'.repeat(1_500_000)}`,
    );
    await waitFor(async () => (await partsStored(site.pool)) === before + 1);
    socket.destroy();
    await waitFor(async () => (await partsStored(site.pool)) === before);
  });

  it('refuses an upload before a byte is read if the role of the caller is too low', async () => {
    const viewer = await memberOf('viewer');
    const before = await partsStored(site.pool);
    const needs = [403, 'this needs the role editor'];
    expect(await viewer.refusal('POST', `${workspace}/documents`, POLICY)).toEqual(needs);
    const { id } = await post(POLICY);
    expect(await viewer.refusal('PUT', `${workspace}/documents/${id}`, POLICY)).toEqual(needs);
    expect(await viewer.refusal('DELETE', `${workspace}/documents/${id}`)).toEqual(needs);
    expect(await viewer.json('GET', `${workspace}/documents/${id}`)).toMatchObject({ id });
    expect(await partsStored(site.pool)).toBe(before + 1);
  });
});
