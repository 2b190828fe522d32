import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { MemoSite, type Person } from '../../memo.fixture';
import { type DocumentResponse } from '../document.dto';
import { form, partsStored, POLICY, uploadsKnown } from '../uploads/uploads.fixture';

/** No worker runs here, so uploads stay queued. */
const MOST_DOCUMENTS = 5;
const MOST_BYTES = 1_000_000;
const TOO_MANY = [409, `this workspace holds ${MOST_DOCUMENTS} documents at most; delete some first`];
const TOO_LARGE = [409, `this workspace holds ${MOST_BYTES} bytes of documents at most; delete some first`];

let site: MemoSite;
let editor: Person;
let workspace: string;

beforeAll(async () => {
  site = await MemoSite.start({
    environment: {
      MAX_WORKSPACE_DOCUMENTS: String(MOST_DOCUMENTS),
      MAX_WORKSPACE_BYTES: String(MOST_BYTES),
    },
  });
  editor = await site.person();
});
beforeEach(async () => (workspace = `/${await editor.newWorkspace()}`));
afterEach(async () => expect(await partsStored(site.pool)).toBe(await uploadsKnown(site.pool)));
afterAll(() => site?.stop());

const documents = () => `${workspace}/documents`;
const post = (body: unknown, status = 201) =>
  editor.json<DocumentResponse>('POST', documents(), body, status);
const refused = (body: unknown) => editor.refusal('POST', documents(), body);
const put = (id: string, body: unknown) => editor.json<DocumentResponse>('PUT', `${documents()}/${id}`, body);
const remove = (id: string) => editor.json('DELETE', `${documents()}/${id}`, undefined, 204);
const sized = (bytes: number, external?: string) => ({
  title: 'Sized',
  text: 'a'.repeat(bytes),
  ...(external !== undefined && { external_id: external }),
});
const held = async () => {
  const { document_count: count, bytes } = await editor.json<{ document_count: number; bytes: number }>(
    'GET',
    workspace,
  );
  return [count, bytes];
};

async function fill(): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < MOST_DOCUMENTS; n++) ids.push((await post(sized(n + 1, `x${n}`))).id);
  return ids;
}

/** The response to an upload of which only the headers are sent. */
async function answerToHeaders(method: string, path: string, bytes: number): Promise<[number, string]> {
  const headers = {
    Authorization: editor.authorization,
    'Content-Type': 'multipart/form-data; boundary=b',
    'Content-Length': bytes,
  };
  const upload = request(`${site.url}/v1/workspaces${path}`, { method, headers });
  upload.flushHeaders();
  const [response] = (await once(upload, 'response')) as [IncomingMessage];
  const { error } = JSON.parse(await text(response)) as { error: string };
  upload.destroy();
  return [response.statusCode!, error];
}

describe('a workspace', () => {
  it('has a maximum number of documents', async () => {
    const ids = await fill();
    expect(await refused(POLICY)).toEqual(TOO_MANY);
    expect(await refused(form('Text', 'a.txt'))).toEqual(TOO_MANY);
    expect(await held()).toEqual([MOST_DOCUMENTS, 15]);
    await remove(ids[4]!);
    expect(await held()).toEqual([MOST_DOCUMENTS - 1, 10]);
    await post(sized(7));
    expect(await refused(POLICY)).toEqual(TOO_MANY);
    expect(await held()).toEqual([MOST_DOCUMENTS, 17]);
  });

  it('accepts further versions and repeated uploads when it is full', async () => {
    const [first] = await fill();
    expect(await post(sized(1, 'x0'), 200)).toMatchObject({ id: first, version: 1 });
    expect(await post(sized(20, 'x0'), 200)).toMatchObject({ id: first, version: 2 });
    expect(await put(first!, sized(30))).toMatchObject({ version: 3, external_id: 'x0' });
    expect(await held()).toEqual([MOST_DOCUMENTS, 44]);
  });

  it('has a maximum size of the newest versions', async () => {
    const { id } = await post(sized(600_000, 'a'));
    expect(await refused(sized(400_001))).toEqual(TOO_LARGE);
    await post(sized(400_000));
    expect(await refused(sized(600_001, 'a'))).toEqual(TOO_LARGE);
    expect(await editor.refusal('PUT', `${documents()}/${id}`, sized(600_001))).toEqual(TOO_LARGE);
    expect(await put(id, sized(600_000))).toMatchObject({ version: 1 });
    expect(await put(id, { ...sized(600_000), title: 'Other' })).toMatchObject({ version: 2 });
    await put(id, sized(500_000));
    await post(sized(100_000));
    expect(await held()).toEqual([3, MOST_BYTES]);
  });

  it('accepts smaller versions above its limit', async () => {
    const { id } = await post(sized(500_000, 'a'));
    await post(sized(400_000));
    const replica = await site.startReplica({ MAX_WORKSPACE_BYTES: '100', MAX_WORKSPACE_DOCUMENTS: '1' });
    const there = editor.at(replica.url);
    expect(await there.json('POST', documents(), sized(499_999, 'a'))).toMatchObject({ id, version: 2 });
    expect(await there.json('PUT', `${documents()}/${id}`, sized(300_000))).toMatchObject({ version: 3 });
    expect((await there.refusal('PUT', `${documents()}/${id}`, sized(300_001)))[0]).toBe(409);
    await there.json('DELETE', `${documents()}/${id}`, undefined, 204);
    expect(await held()).toEqual([1, 400_000]);
    await replica.close();
  });

  it('accepts exactly as many concurrent uploads as fit', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => editor.call('POST', documents(), sized(n + 1, `x${n}`))),
    );
    const taken = answers.filter(({ status }) => status === 201);
    expect(taken).toHaveLength(MOST_DOCUMENTS);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(20 - MOST_DOCUMENTS);
    const sizes = (await Promise.all(taken.map((answer) => answer.json() as Promise<DocumentResponse>))).map(
      ({ bytes }) => bytes,
    );
    expect(await held()).toEqual([MOST_DOCUMENTS, sizes.reduce((sum, bytes) => sum + bytes)]);
  });

  it('counts deletions during uploads', async () => {
    const ids = await fill();
    const answers = await Promise.all([
      ...ids.map((id) => editor.call('DELETE', `${documents()}/${id}`)),
      ...ids.map((_id, n) => editor.call('POST', documents(), sized(100, `y${n}`))),
    ]);
    const made = answers.filter(({ status }) => status === 201).length;
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(MOST_DOCUMENTS);
    expect(await held()).toEqual([made, made * 100]);
  });
});

describe('before a byte is read', () => {
  const LARGE = MOST_BYTES + 300_000;

  it('a new document without room is refused', async () => {
    expect(await answerToHeaders('POST', documents(), LARGE)).toEqual(TOO_LARGE);
    for (let n = 0; n < MOST_DOCUMENTS; n++) await post(POLICY);
    expect(await answerToHeaders('POST', documents(), 100)).toEqual(TOO_MANY);
  });

  it('a version without room is refused', async () => {
    const { id } = await post(sized(10));
    expect(await answerToHeaders('PUT', `${documents()}/${id}`, LARGE)).toEqual(TOO_LARGE);
  });
});

it('lets other workspaces and deletions proceed during an upload', async () => {
  const { id } = await post(POLICY);
  const other = `/${await editor.newWorkspace()}`;
  const upload = await site.pool.connect();
  try {
    // The locks of an upload that is about to commit.
    await upload.query('BEGIN');
    await upload.query("SELECT pg_advisory_xact_lock(hashtextextended('memo.workspace_usage:' || $1, 0))", [
      workspace.slice(1),
    ]);
    await editor.json('POST', `${other}/documents`, POLICY, 201);
    await remove(id);
    await editor.json('POST', `${workspace}/search`, { query: 'refunds' });
    expect(await held()).toEqual([0, 0]);
  } finally {
    await upload.query('ROLLBACK');
    upload.release();
  }
});
