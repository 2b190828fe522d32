import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { waitFor } from '@inference/testing';
import { type MemoReplica, MemoSite, type Person } from '../../memo.fixture';

/** One address may use a quarter of it. */
const BODY_MEMORY_BYTES = 128 * 1_048_576;
/** An upload counts as its announced length, and as 1 MiB at most. */
const MOST_UPLOADS = 32;
const FORM = { 'Content-Type': 'multipart/form-data; boundary=b' };
const JSON_BODY = { 'Content-Type': 'application/json' };

let site: MemoSite;
let replica: MemoReplica;
let owner: Person;
let workspace: string;

beforeAll(async () => {
  site = await MemoSite.start({ environment: { BODY_MEMORY_BYTES: String(BODY_MEMORY_BYTES) } });
  owner = await site.person();
  workspace = await owner.newWorkspace();
});
beforeEach(async () => (replica = await site.startReplica()));
afterEach(() => replica.close());
afterAll(() => site?.stop());

function begin(headers: Record<string, string>): ClientRequest {
  const sent = request(`${replica.url}/v1/workspaces/${workspace}/documents`, {
    method: 'POST',
    headers: { Authorization: owner.authorization, Expect: '100-continue', ...headers },
  });
  sent.on('error', () => undefined).flushHeaders();
  return sent;
}

const SHORT_TEXT = 'A word. '.repeat(8_000);
/** Uploads of this text until the memory of an address is used. */
const MOST_SHORT_UPLOADS = Math.floor(BODY_MEMORY_BYTES / 4 / SHORT_TEXT.length);

const upload = (text = 'B') =>
  owner.at(replica.url).call('POST', `/${workspace}/documents`, { title: 'A', text });

it.each<[string, Record<string, string>]>([
  ['forms', FORM],
  ['JSON of unknown length', JSON_BODY],
  ['short JSON', { ...JSON_BODY, 'Content-Length': String(BODY_MEMORY_BYTES / 4 / MOST_UPLOADS) }],
])('refuses more uploads of an address than its memory holds: %s', async (_what, headers) => {
  const held = Array.from({ length: MOST_UPLOADS }, () => begin(headers));
  await Promise.all(held.map((sent) => once(sent, 'continue')));

  const [response] = (await once(begin(headers), 'response')) as [IncomingMessage];
  expect([response.statusCode, response.headers['retry-after']]).toEqual([429, '1']);
  expect(await json(response)).toEqual({ error: 'too many large bodies at once' });
  expect((await upload()).status).toBe(429);
  expect((await owner.at(replica.url).call('POST', '', { name: 'Of other bodies' })).status).toBe(201);

  held[0]!.destroy();
  await waitFor(async () => (await upload()).ok);
  for (const sent of held) sent.destroy();
});

it('counts uploads as held until their transaction ends', async () => {
  const holder = await site.pool.connect();
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE memo.documents IN EXCLUSIVE MODE');
  const uploads = Array.from({ length: MOST_SHORT_UPLOADS + 1 }, () => upload(SHORT_TEXT));
  const refused = await Promise.race(uploads);
  expect([refused.status, await refused.json()]).toEqual([429, { error: 'too many large bodies at once' }]);
  expect((await upload(SHORT_TEXT)).status).toBe(429);
  await holder.query('ROLLBACK');
  holder.release();
  const statuses = (await Promise.all(uploads)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(MOST_SHORT_UPLOADS * 0.9);
  expect((await upload(SHORT_TEXT)).status).toBe(201);
});
