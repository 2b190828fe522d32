import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { waitFor } from '@inference/testing';
import { type MemoReplica, MemoSite, type Person } from '../../memo.fixture';

/** One account may use a quarter of it, and a sixteenth for uploads that still arrive. */
const BODY_MEMORY_BYTES = 128 * 1_048_576;
/** An upload counts as its announced length, and as 1 MiB at most. */
const MOST_UPLOADS = 8;
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
beforeEach(async () => (replica = await site.startReplica({ TRUST_PROXY: '1' })));
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
/** Uploads of this text until the memory of an account is used. */
const MOST_SHORT_UPLOADS = Math.floor(BODY_MEMORY_BYTES / 4 / SHORT_TEXT.length);

/** So many small uploads fit into the share of what arrives. */
const GROUP = 32;
/** The next refusal comes sooner. */
const ANSWER_MILLIS = 300;

const upload = (text = 'B') =>
  owner.at(replica.url).call('POST', `/${workspace}/documents`, { title: 'A', text });

it.each<[string, Record<string, string>]>([
  ['forms', FORM],
  ['JSON of unknown length', JSON_BODY],
  ['short JSON', { ...JSON_BODY, 'Content-Length': String(BODY_MEMORY_BYTES / 16 / MOST_UPLOADS) }],
])('refuses more unfinished uploads of an account than its memory holds: %s', async (_what, headers) => {
  const held = Array.from({ length: MOST_UPLOADS }, () => begin(headers));
  await Promise.all(held.map((sent) => once(sent, 'continue')));

  const [response] = (await once(begin(headers), 'response')) as [IncomingMessage];
  expect([response.statusCode, response.headers['retry-after']]).toEqual([429, '1']);
  expect(await json(response)).toEqual({ error: 'too many large bodies at once' });
  expect((await owner.at(replica.url).call('POST', '', { name: 'Of other bodies' })).status).toBe(201);

  held[0]!.destroy();
  await waitFor(async () => {
    const next = begin(headers);
    const isAdmitted = await Promise.race([
      once(next, 'continue').then(() => true),
      once(next, 'response').then(() => false),
    ]);
    next.destroy();
    return isAdmitted;
  });
  for (const sent of held) sent.destroy();
});

it('refuses nobody else while an account begins 256 uploads from four addresses and leaves them idle', async () => {
  const stranger = await site.person();
  const theirs = await stranger.newWorkspace();
  const idle = Array.from({ length: 256 }, (_, n) =>
    begin({ ...FORM, 'X-Forwarded-For': `10.0.0.${n % 4}` }),
  );
  const outcomes = await Promise.all(
    idle.map((sent) =>
      Promise.race([
        once(sent, 'continue').then(() => 100),
        once(sent, 'response').then(([response]) => (response as IncomingMessage).statusCode),
      ]),
    ),
  );
  expect(outcomes.filter((status) => status === 100)).toHaveLength(MOST_UPLOADS);
  for (const text of ['A word. ', 'A word. '.repeat(200_000)]) {
    const path = `/${theirs}/documents`;
    expect((await stranger.at(replica.url).call('POST', path, { title: 'A', text })).status).toBe(201);
  }
  for (const sent of idle) sent.destroy();
});

it('counts uploads as held until their transaction ends', async () => {
  const holder = await site.pool.connect();
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE memo.documents IN EXCLUSIVE MODE');
  const sent: Promise<number>[] = [];
  for (;;) {
    const answers: number[] = [];
    const group = Array.from({ length: GROUP }, async () => {
      const { status } = await upload(SHORT_TEXT);
      answers.push(status);
      return status;
    });
    sent.push(...group);
    let before: number;
    do {
      before = answers.length;
      await Promise.race([Promise.all(group), wait(ANSWER_MILLIS)]);
    } while (answers.length > before && answers.length < GROUP);
    if (answers.length === GROUP && answers.every((status) => status === 429)) break;
  }
  await holder.query('ROLLBACK');
  holder.release();
  const statuses = await Promise.all(sent);
  expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(MOST_SHORT_UPLOADS * 0.9);
  expect((await upload(SHORT_TEXT)).status).toBe(201);
});
