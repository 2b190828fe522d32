import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { waitFor, waitForLock } from '@inference/testing';
import { MemoSite, type Person } from '../../memo.fixture';
import { partsStored, uploadsKnown } from './uploads.fixture';

/** No worker runs here, so uploads stay queued. */
const MOST_BYTES = 3 * 1_048_576;
const STALL_SECONDS = 1.5;
const FORM = { 'Content-Type': 'multipart/form-data; boundary=b' };
const JSON_BODY = { 'Content-Type': 'application/json' };
const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';
/** More than one stored part. */
const BEGINNING = 'a'.repeat(1_500_000);
const UPLOADS: [what: string, headers: Record<string, string>, start: string, end: string][] = [
  ['a form', FORM, FILE, '\r\n--b--\r\n'],
  ['JSON', JSON_BODY, '{"title":"A","text":"', '"}'],
];

let site: MemoSite;
let owner: Person;
let workspace: string;

beforeAll(async () => {
  site = await MemoSite.start({ environment: { MAX_DOCUMENT_BYTES: String(MOST_BYTES) } });
  owner = await site.person();
});
beforeEach(async () => (workspace = await owner.newWorkspace()));
afterEach(async () => expect(await partsStored(site.pool)).toBe(await uploadsKnown(site.pool)));
afterAll(() => site?.stop());

interface Upload {
  sent: ClientRequest;
  /** Status and error message; 0 if the connection ends without a response. */
  answer: Promise<[status: number, error: string | undefined]>;
}

/** An upload in pieces without a declared length. */
function upload(headers: Record<string, string>, { url = site.url, agent = new Agent() } = {}): Upload {
  const credential = 'X-API-Key' in headers ? {} : { Authorization: owner.authorization };
  const options = { method: 'POST', agent, headers: { ...credential, ...headers } };
  const sent = request(`${url}/v1/workspaces/${workspace}/documents`, options);
  const answer = answerTo(sent).catch((): [number, undefined] => [0, undefined]);
  return { sent, answer };
}

async function answerTo(sent: ClientRequest): Promise<[number, string | undefined]> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { error } = JSON.parse(await text(response)) as { error?: string };
  return [response.statusCode!, error];
}

async function halfSent(headers: Record<string, string>, start: string, url = site.url): Promise<Upload> {
  const before = await partsStored(site.pool);
  const half = upload(headers, { url });
  half.sent.write(start + BEGINNING);
  await waitFor(async () => (await partsStored(site.pool)) > before);
  return half;
}

const documentCount = async () =>
  (await owner.json<{ document_count: number }>('GET', `/${workspace}`)).document_count;

describe.each(UPLOADS)('an upload as %s', (_what, headers, start, end) => {
  it('is refused if it turns out to be too large, and its connection serves the next request', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const { sent, answer } = upload(headers, { agent });
    sent.write(start);
    for (let bytes = 0; bytes < 3 * MOST_BYTES; bytes += BEGINNING.length) sent.write(BEGINNING);
    sent.end(end);
    expect(await answer).toEqual([413, `a document has ${MOST_BYTES} bytes at most`]);
    const next = request(`${site.url}/healthz`, { agent }).end();
    const [response] = (await once(next, 'response')) as [IncomingMessage];
    expect([response.statusCode, next.socket === sent.socket]).toEqual([200, true]);
    agent.destroy();
  });

  it('is disconnected if it stalls', async () => {
    const replica = await site.startReplica({ CLIENT_STALL_TIMEOUT_SECONDS: String(STALL_SECONDS) });
    const startedAt = performance.now();
    const { answer } = await halfSent(headers, start, replica.url);
    expect(await answer).toEqual([0, undefined]);
    expect(performance.now() - startedAt).toBeGreaterThan(STALL_SECONDS * 1000);
    await waitFor(async () => (await partsStored(site.pool)) === (await uploadsKnown(site.pool)));
    await replica.close();
  });

  it('is disconnected if it trickles', async () => {
    const replica = await site.startReplica({ CLIENT_STALL_TIMEOUT_SECONDS: String(STALL_SECONDS) });
    const { sent, answer } = upload(headers, { url: replica.url });
    sent.on('error', () => undefined).write(start);
    const dripping = setInterval(() => sent.write('a'), 100);
    expect(await answer).toEqual([0, undefined]);
    clearInterval(dripping);
    await replica.close();
  });

  it('can still complete while the service stops', async () => {
    const replica = await site.startReplica();
    const { sent, answer } = await halfSent(headers, start, replica.url);
    const closed = replica.close();
    sent.end(end);
    expect((await answer)[0]).toBe(201);
    await closed;
    expect(await documentCount()).toBe(1);
  });

  it('is disconnected if it does not end while the service stops', async () => {
    const replica = await site.startReplica();
    const { answer } = await halfSent(headers, start, replica.url);
    await replica.close();
    expect(await answer).toEqual([0, undefined]);
  });
});

it('refuses a form with endless data after the file before its end', async () => {
  const { sent, answer } = upload(FORM);
  sent.write(`${FILE}A\r\n--b\r\nContent-Disposition: form-data; name="title"\r\n\r\n`);
  // A sender without pauses would keep this process from reading the answer.
  const sending = setInterval(() => sent.write('a'.repeat(65_536)), 5);
  void answer.then(() => clearInterval(sending));
  expect(await answer).toEqual([413, `a document has ${MOST_BYTES} bytes at most`]);
  sent.destroy();
});

it('does not apply the stall timeout to a sender that has sent everything', async () => {
  const replica = await site.startReplica({ CLIENT_STALL_TIMEOUT_SECONDS: '0.3' });
  const holder = await site.pool.connect();
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE memo.source_parts');
  const { sent, answer } = upload(JSON_BODY, { url: replica.url });
  sent.end('{"title": "A", "text": "B"}');
  await waitForLock(site.pool);
  await wait(1_000);
  await holder.query('ROLLBACK');
  holder.release();
  expect((await answer)[0]).toBe(201);
  await replica.close();
});

describe('a caller who loses access during the upload', () => {
  const [, headers, start, end] = UPLOADS[0]!;
  const NO_WORKSPACE = [404, 'no such workspace'];

  it.each<[string, unknown[], (editor: Person) => Promise<unknown>]>([
    [
      'the role was lowered to viewer',
      [403, 'this needs the role editor'],
      ({ accountId }) => owner.json('PATCH', `/${workspace}/members/${accountId}`, { role: 'viewer' }),
    ],
    [
      'the membership was removed',
      NO_WORKSPACE,
      ({ accountId }) => owner.json('DELETE', `/${workspace}/members/${accountId}`, undefined, 204),
    ],
  ])('is refused: %s', async (_why, refusal, change) => {
    const editor = await site.person();
    await owner.addMember(workspace, editor, 'editor');
    const { sent, answer } = await halfSent({ ...headers, Authorization: editor.authorization }, start);
    await change(editor);
    sent.end(end);
    expect(await answer).toEqual(refusal);
    expect(await documentCount()).toBe(0);
  });

  it('is refused because the key was deleted', async () => {
    const body = { name: 'k', role: 'editor' };
    const { id, key } = await owner.json<{ id: string; key: string }>(
      'POST',
      `/${workspace}/keys`,
      body,
      201,
    );
    const { sent, answer } = await halfSent({ ...headers, 'X-API-Key': key }, start);
    await owner.json('DELETE', `/${workspace}/keys/${id}`, undefined, 204);
    sent.end(end);
    expect(await answer).toEqual(NO_WORKSPACE);
    expect(await documentCount()).toBe(0);
  });

  it('is refused because the workspace is gone', async () => {
    const { sent, answer } = await halfSent(headers, start);
    await owner.json('DELETE', `/${workspace}`, undefined, 204);
    sent.end(end);
    expect(await answer).toEqual(NO_WORKSPACE);
  });
});
