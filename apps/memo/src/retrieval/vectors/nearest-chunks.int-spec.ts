import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { waitFor } from '@inference/testing';
import { MemoSite, type Person } from '../../memo.fixture';
import { type ConversationMessagesResponse } from '../../chat/conversations/conversation.dto';
import { type SearchResultResponse } from '../search/search.dto';
import { EmbeddingServer, send } from './embedding-server.fixture';

const MODEL = 'meaning';
const CARS = 'Each car needs oil.';
const HOUSES = 'Our house is by water.';
const AUTOMOBILES = 'An automobile club.';

let server: EmbeddingServer;
let site: MemoSite;
let worker: ChildProcess;
let owner: Person;
let workspace: string;

beforeAll(async () => {
  server = await EmbeddingServer.start();
  site = await MemoSite.start({
    models: [MODEL],
    upstreams: [{ name: 'embedder', base_url: server.url, models: [MODEL] }],
    environment: { EMBEDDING_MODEL: MODEL, EMBEDDING_LEAST_COSINE: '0.3' },
  });
  worker = site.startIngestion();
  owner = await site.person();
  workspace = await owner.newWorkspace();
  for (const text of [CARS, HOUSES]) await add(text);
});
afterEach(() => server.does());
afterAll(async () => {
  await site?.stop();
  server?.close();
});

const vectorsOf = async (id: string) =>
  (
    await site.pool.query<{ version: number }>(
      `SELECT version FROM memo.chunk_vectors x JOIN memo.chunk_signatures s USING (space, number) WHERE document_id = $1`,
      [id],
    )
  ).rows.map(({ version }) => version);

/** Waits until vector search finds the document. */
async function add(text: string, id = workspace, more: object = {}): Promise<string> {
  const document = await owner.addDocument(id, { title: 'A', text, ...more });
  await waitFor(async () => (await vectorsOf(document.id)).length > 0);
  return document.id;
}
const search = async (query: string, id = workspace, person = owner) =>
  (await person.json<{ results: SearchResultResponse[] }>('POST', `/${id}/search`, { query })).results;
const texts = async (query: string, id = workspace, person = owner) =>
  (await search(query, id, person)).map(({ text }) => text);

async function endWorker(): Promise<void> {
  const ended = once(worker, 'exit');
  worker.disconnect();
  await ended;
}

it('finds synonyms and nothing else', async () => {
  expect(await texts('automobile')).toEqual([CARS]);
  expect(await texts('residence')).toEqual([HOUSES]);
  expect(await texts('physician')).toEqual([]);
});

it('finds synonyms in the chosen documents only', async () => {
  const id = await owner.newWorkspace();
  const [cars, houses] = [await add(CARS, id), await add(HOUSES, id)];
  const found = async (ids: string[]) =>
    (
      await owner.json<{ results: SearchResultResponse[] }>('POST', `/${id}/search`, {
        query: 'automobile',
        document_ids: ids,
      })
    ).results.map(({ text }) => text);
  expect(await found([houses])).toEqual([]);
  expect(await found([cars])).toEqual([CARS]);
});

it('quotes no answer from a passage that only its vector supports', async () => {
  const answer = await owner.call('POST', `/${workspace}/chat`, { query: 'automobile' });
  expect(await answer.text()).toMatch(/data: Citations: none\n\n$/);
});

it('names the calls that an answer cost, also those of the questions before it', async () => {
  const asker = await site.person();
  await owner.addMember(workspace, asker, 'viewer');
  const ask = (body: object) => asker.call('POST', `/${workspace}/chat`, body);
  const first = await ask({ query: 'car oil' });
  await first.text();
  const conversation = first.headers.get('X-Conversation-Id')!;
  await (await ask({ query: 'And why?', conversation_id: conversation })).text();
  const { messages } = await asker.json<ConversationMessagesResponse>(
    'GET',
    `/${workspace}/conversations/${conversation}`,
  );
  const charged = await site.pool.query<{ id: string }>(
    'SELECT request_id AS id FROM metering.usage_events WHERE account_id = $1 ORDER BY occurred_at',
    [asker.accountId],
  );
  const [one, ...more] = charged.rows.map(({ id }) => id);
  expect(more).toHaveLength(2);
  expect(messages.map(({ request_ids: ids }) => ids)).toEqual([[], [one], [], more]);
});

it('accepts vectors as decimal numbers', async () => {
  server.does((response, asked) => server.embed(response, asked, { inDecimals: true }));
  expect(await texts('automobile')).toEqual([CARS]);
});

it('ranks passages that match by keywords and by vector first', async () => {
  const id = await owner.newWorkspace();
  for (const text of [CARS, AUTOMOBILES, HOUSES]) await add(text, id);
  const found = await search('automobile water', id);
  expect(found.map(({ text }) => text)).toEqual([AUTOMOBILES, HOUSES, CARS]);
  expect(found.map(({ score }) => score)).toEqual([2 / 61, 2 / 62, 1 / 63]);
});

it.each<[string, Parameters<EmbeddingServer['does']>[0]]>([
  ['fails', (response) => send(response, { error: { message: 'no' } }, 500)],
  ['is too slow', () => undefined],
  ['breaks off', (response) => response.destroy()],
  ['gives vectors of another length', (response, asked) => server.embed(response, asked, { dimensions: 64 })],
  ['gives no vectors', (response) => send(response, { data: [{ index: 0, embedding: 'AAAA' }] })],
  ['gives zeros', (response) => send(response, { data: [{ index: 0, embedding: [0, 0] }] })],
  ['gives what is no number', (response) => send(response, { data: [{ index: 0, embedding: [1, null] }] })],
  ['gives nothing', (response) => send(response, null)],
])('searches by keywords only if the model %s', async (_what, answer) => {
  const replica = await site.startReplica();
  server.does(answer);
  const caller = owner.at(replica.url);
  expect(await texts('automobile', workspace, caller)).toEqual([]);
  expect(await texts('car oil', workspace, caller)).toEqual([CARS]);
  await replica.close();
});

it.each([400, 413, 422])(
  'searches by keywords only for a query that the model refuses (%i), and for no other query',
  async (status) => {
    const replica = await site.startReplica();
    server.does((response) => send(response, { error: { message: 'too long' } }, status));
    const caller = owner.at(replica.url);
    expect(await texts('car residence', workspace, caller)).toEqual([CARS]);
    server.does();
    expect(await texts('residence', workspace, caller)).toEqual([HOUSES]);
    await replica.close();
  },
);

it('embeds only the end of a long follow-up question', async () => {
  // The limit cuts it within a surrogate pair.
  const long = `${'😀'.repeat(5)}${' car oil'.repeat(498)} about`;
  const first = await owner.call('POST', `/${workspace}/chat`, { query: long });
  await first.text();
  const conversation = first.headers.get('X-Conversation-Id');
  const next = { query: 'And why?', conversation_id: conversation };
  expect(await (await owner.call('POST', `/${workspace}/chat`, next)).text()).toContain(CARS);
  const asked = server.asked.at(-1)![0]!;
  expect(asked).toHaveLength(4_000);
  expect(asked).toBe(`\ufffd${`${long}\nAnd why?`.slice(-3_999)}`);
});

it('searches by keywords only for a caller who cannot pay, and for no other caller', async () => {
  const poor = await site.person(0n);
  await owner.addMember(workspace, poor, 'viewer');
  const asked = server.asked.length;
  expect(await texts('automobile', workspace, poor)).toEqual([]);
  expect(await texts('car', workspace, poor)).toEqual([CARS]);
  expect(server.asked).toHaveLength(asked);
  expect(await texts('automobile')).toEqual([CARS]);
});

it('finds nothing of another workspace', async () => {
  const id = await owner.newWorkspace();
  expect(await texts('automobile', id)).toEqual([]);
  const other = await add('That car was sold.', id);
  expect((await search('automobile', id)).map((result) => result.document_id)).toEqual([other]);
  expect(await texts('automobile')).toEqual([CARS]);
});

it('charges uploads to the uploader and queries to the caller', async () => {
  const [uploader, asker] = [await site.person(), await site.person()];
  for (const [person, role] of [
    [uploader, 'editor'],
    [asker, 'viewer'],
  ] as const)
    await owner.addMember(workspace, person, role);
  const { id } = await uploader.addDocument(workspace, { title: 'A', text: 'A doctor came.' });
  await waitFor(async () => (await vectorsOf(id)).length > 0);
  expect(await texts('physician', workspace, asker)).toEqual(['A doctor came.']);
  for (const person of [uploader, asker]) {
    const { rows } = await site.pool.query(
      'SELECT entrypoint, endpoint, model, input_tokens FROM metering.usage_events WHERE account_id = $1',
      [person.accountId],
    );
    expect(rows).toEqual([{ entrypoint: 'memo', endpoint: 'embeddings', model: MODEL, input_tokens: 1n }]);
  }
});

it('stops finding replaced and deleted documents at once, and deletes their vectors', async () => {
  const id = await owner.newWorkspace();
  const gone = await add(CARS, id);
  const replaced = await add(HOUSES, id, { external_id: 'a' });
  const kept = await add(AUTOMOBILES, id);
  await owner.json('POST', `/${id}/documents`, { title: 'A', text: 'Nothing.', external_id: 'a' });
  await waitFor(async () => (await vectorsOf(replaced)).includes(2));
  await endWorker();
  expect(await texts('residence', id)).toEqual([]);
  await owner.json('DELETE', `/${id}/documents/${gone}`, undefined, 204);
  expect(await vectorsOf(gone)).toEqual([1]);
  expect((await search('automobile', id)).map((result) => result.document_id)).toEqual([kept]);
  worker = site.startIngestion();
  await waitFor(async () => (await vectorsOf(gone)).length === 0);
  await waitFor(async () => (await vectorsOf(replaced)).join() === '2');
  const { rows } = await site.pool.query<{ signatures: number; vectors: number }>(
    `SELECT (SELECT count(*) FROM memo.chunk_signatures)::integer AS signatures,
       (SELECT count(*) FROM memo.chunk_vectors)::integer AS vectors`,
  );
  expect(rows[0]!.signatures).toBe(rows[0]!.vectors);
});
