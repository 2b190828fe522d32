import { insertAccount, type TestPool } from '@inference/testing';
import { type QueryConfig } from 'pg';
import { MemoSite, type Person } from '../../memo.fixture';
import { IndexedWorkspace } from '../ranking/indexed-workspace.fixture';
import { type SearchResultResponse } from './search.dto';
import { SearchService } from './search.service';

let site: MemoSite;
let owner: Person;
let workspace: string;

const PASSAGES = [
  'Refunds are issued within five days.',
  'Parcels are sent on Mondays.',
  '退款在五天内发放。',
];

beforeAll(async () => {
  site = await MemoSite.start({ environment: { INGESTION_WORKERS: '0' } });
  owner = await site.person();
  workspace = await owner.newWorkspace();
  await fill(workspace, PASSAGES);
});
afterAll(() => site?.stop());

/** Indexes passages as documents of one chunk each. */
async function fill(workspaceId: string, texts: string[]): Promise<IndexedWorkspace> {
  const index = IndexedWorkspace.of(site.pool, workspaceId, owner.accountId);
  for (const text of texts) await index.add([text]);
  return index;
}

const search = async (person: Person, body: object, id = workspace) =>
  (await person.json<{ results: SearchResultResponse[] }>('POST', `/${id}/search`, body)).results;

it('shows results best first, in each script', async () => {
  const [found] = await search(owner, { query: 'When are refunds issued?' });
  expect(found).toEqual({
    document_id: expect.stringMatching(/^doc_/) as string,
    external_id: null,
    title: '',
    version: 1,
    chunk_index: 0,
    start: 0,
    end: PASSAGES[0]!.length,
    page: null,
    score: expect.any(Number) as number,
    text: PASSAGES[0],
  });
  const [chinese] = await search(owner, { query: '幾天內退款？', k: 1 });
  expect(chinese!.text).toBe(PASSAGES[2]);
  const mixed = await search(owner, { query: 'parcels 退款', k: 50 });
  expect(mixed.map(({ text }) => text).sort()).toEqual([PASSAGES[1], PASSAGES[2]]);
});

it('knows the page breaks of a passage with characters of two units', async () => {
  const id = await owner.newWorkspace();
  const text = `${'😀'.repeat(20)} anchors`;
  await fill(id, [text]);
  const starts = [0, text.length - 3, text.length];
  await site.pool.query('UPDATE memo.document_versions SET page_starts = $2 WHERE workspace_id = $1', [
    id,
    starts,
  ]);
  const { passages } = await new SearchService(site.pool).find(
    { workspaceId: id, accountId: owner.accountId },
    { query: 'anchors', k: 1 },
  );
  expect(passages[0]).toMatchObject({ page: 1, pageBreaks: [text.length - 3], end: text.length });
});

it('finds nothing in an empty workspace, or for unknown words', async () => {
  expect(await search(owner, { query: 'zebra crossing' })).toEqual([]);
  expect(await search(owner, { query: '?!' })).toEqual([]);
  expect(await search(owner, { query: 'refunds' }, await owner.newWorkspace())).toEqual([]);
});

it('refuses invalid queries and callers who are not members', async () => {
  const refusal = (body: object) => owner.refusal('POST', `/${workspace}/search`, body);
  expect(await refusal({})).toEqual([400, 'query: is missing']);
  expect(await refusal({ query: ' \n ' })).toEqual([400, 'query: must not be empty']);
  expect((await refusal({ query: 'a'.repeat(4_001) }))[0]).toBe(400);
  for (const k of [0, 51, 1.5, '6']) expect((await refusal({ query: 'a', k }))[0]).toBe(400);
  expect((await refusal({ query: 'a', limit: 3 }))[0]).toBe(400);
  const path = `/${workspace}/search`;
  expect((await (await site.person()).refusal('POST', path, { query: 'a' }))[0]).toBe(404);
  expect((await owner.withKey('sk_nobody').refusal('POST', path, { query: 'a' }))[0]).toBe(401);
  expect(await search(owner, { query: 'refunds '.repeat(500).trim(), k: 50 })).toHaveLength(1);
});

it('searches the chosen documents only, with the scores of a search of all', async () => {
  const id = await owner.newWorkspace();
  const index = IndexedWorkspace.of(site.pool, id, owner.accountId);
  const [first, second] = [
    await index.add(['a red notice', 'a blue notice']),
    await index.add(['a green notice']),
  ];
  const third = await index.add(['a notice']);
  const found = async (ids?: string[]) =>
    (await search(owner, { query: 'notice', ...(ids && { document_ids: ids }) }, id))
      .map(({ document_id: document, chunk_index: chunk, score }) => [document, chunk, score] as const)
      .sort();
  const all = await found();
  expect(all).toHaveLength(4);
  const of = (...ids: string[]) => all.filter(([document]) => ids.includes(document));
  expect(await found([second.id])).toEqual(of(second.id));
  expect(await found([third.id, first.id])).toEqual(of(first.id, third.id));
  await index.merge();
  expect(await found([first.id])).toHaveLength(2);
  await index.retire(first);
  expect(await found([second.id])).toHaveLength(1);
});

it('finds passages of a chosen document behind any number of better ones', async () => {
  const id = await owner.newWorkspace();
  const index = await fill(
    id,
    Array.from({ length: 60 }, () => 'notice notice'),
  );
  const last = await index.add(['one notice among many other words that make it longer than the rest']);
  const results = await search(owner, { query: 'notice', k: 50, document_ids: [last.id] }, id);
  expect(results.map(({ document_id: document }) => document)).toEqual([last.id]);
});

it('refuses chosen documents that the workspace does not have', async () => {
  const id = await owner.newWorkspace();
  const [foreign] = (await fill(id, ['a notice'])).documents;
  const refusal = (ids: unknown, path = `/${workspace}/search`) =>
    owner.refusal('POST', path, { query: 'a', document_ids: ids });
  for (const path of [`/${workspace}/search`, `/${workspace}/chat`])
    for (const unknown of [foreign!.id, 'doc_0'])
      expect(await refusal([unknown], path)).toEqual([
        404,
        `document_ids: the workspace has no document ${unknown}`,
      ]);
  expect(await refusal([])).toEqual([400, 'document_ids: must have at least 1 entries']);
  expect((await refusal(Array(101).fill('doc_0')))[0]).toBe(400);
  for (const malformed of ['doc_0', ['ws_0'], [1], [null], null])
    expect((await refusal(malformed))[0]).toBe(400);
});

it('accepts the key of the workspace and no other key', async () => {
  const { key } = await owner.json<{ key: string }>('POST', `/${workspace}/keys`, { name: 'site' }, 201);
  const caller = owner.withKey(key);
  expect(await search(caller, { query: 'parcels' })).toHaveLength(1);
  const other = await owner.newWorkspace();
  expect((await caller.refusal('POST', `/${other}/search`, { query: 'parcels' }))[0]).toBe(404);
});

it('ranks passages first in which the words are close together', async () => {
  const id = await owner.newWorkspace();
  const apart =
    'The annual filing goes to the office, and one more word of the whole long report is missing here.';
  const together =
    'The annual report goes to the office, and one more word of the whole long filing is missing here.';
  await fill(id, [apart, together]);
  const found = await search(owner, { query: 'annual report' }, id);
  expect(found.map(({ text }) => text)).toEqual([together, apart]);
  expect(found[0]!.score).toBeGreaterThan(found[1]!.score);
});

it('repeats the search if documents disappear between its statements', async () => {
  const id = await owner.newWorkspace();
  const index = await fill(
    id,
    Array.from({ length: 80 }, () => 'a notice'),
  );
  const all = index.documents.map((document) => document.id);
  const { pool } = site;
  // Simulates a deletion at that moment.
  const query = async (statement: QueryConfig, values?: unknown[]) => {
    if (statement.name === 'search-passages')
      for (const document of index.documents.slice(0, -25)) await index.retire(document);
    return pool.query(statement, values);
  };
  const service = new SearchService(Object.assign(Object.create(pool) as TestPool, { query }));
  const { passages } = await service.find(
    { workspaceId: id, accountId: owner.accountId },
    { query: 'notice', k: 50 },
  );
  expect(passages.map(({ documentId }) => documentId)).toEqual(all.slice(-25));
});

it('ranks a passage higher if a passage beside it has the other words of the query', async () => {
  const id = await owner.newWorkspace();
  const index = IndexedWorkspace.of(site.pool, id, owner.accountId);
  await index.add(['copper is a metal', 'nothing else here']);
  const apart = await index.add(['copper is a metal', 'nothing but oxide']);
  const { passages } = await new SearchService(site.pool).find(
    { workspaceId: id, accountId: owner.accountId },
    { query: 'copper oxide', k: 3 },
  );
  expect(passages.map(({ documentId, chunkIndex }) => [documentId, chunkIndex]).slice(0, 2)).toEqual([
    [apart.id, 1],
    [apart.id, 0],
  ]);
});

it('weights the words of a query and matches them in a text', async () => {
  const { accountId } = await insertAccount(site.pool, { balancePicos: 0n });
  const member = { workspaceId: workspace, accountId };
  const { relevance: asked } = await new SearchService(site.pool).find(member, {
    query: 'refunds of zebras issued 退款',
    k: 6,
  });
  expect([...asked.matchedWords('A refund was issued: 退款')]).toEqual([
    'refunds',
    'issued',
    '退',
    '款',
    '退款',
  ]);
  const worth = (word: string) => asked.weights.get(word)!;
  expect(worth('zebras')).toBeGreaterThan(worth('refunds'));
  expect(worth('退款')).toBeGreaterThan(worth('退'));
});

it('distinguishes a possible answer from a passage that only shares a word', async () => {
  const member = { workspaceId: workspace, accountId: owner.accountId };
  const answers = async (query: string) => {
    const { passages, relevance: asked } = await new SearchService(site.pool).find(member, { query, k: 6 });
    return passages.map(({ text }) => asked.isAnsweredBy(text));
  };
  expect(await answers('When are refunds issued?')).toEqual([true]);
  expect(await answers('Do zebras cross rivers for refunds?')).toEqual([false]);
  expect(await answers('几天内退款')).toEqual([true]);
  expect(await answers('斑马如何退款')).toEqual([false]);
});
