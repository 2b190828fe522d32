import { insertAccount, type TestPool } from '@inference/testing';
import { type QueryConfig } from 'pg';
import { MemoSite, type Person } from '../../memo.fixture';
import { PassageAnalyzer } from '../analysis/passage-analyzer';
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

it('searches the documents of a time or with metadata only', async () => {
  const id = await owner.newWorkspace();
  const index = await fill(id, ['a red notice', 'a blue notice', 'a green notice', 'a grey notice']);
  const ids = index.documents.map((document) => document.id);
  await site.pool.query(
    `UPDATE memo.documents d SET created_at = u.created::timestamptz, updated_at = u.updated::timestamptz
     FROM unnest($2::text[], $3::text[], $4::text[]) AS u(id, created, updated) WHERE d.workspace_id = $1 AND d.id = u.id`,
    [
      id,
      ids,
      ['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01'].map((day) => `${day}T00:00:00Z`),
      ['2026-05-01', '2026-04-02', '2026-04-01', '2026-04-01'].map((day) => `${day}T00:00:00.000001Z`),
    ],
  );
  const metadata = [
    { team: 'red', year: 2025, isDraft: true },
    { team: 'blue', year: 2025, isDraft: false },
    { team: 'blue', year: '2025', note: null },
    {},
  ];
  await site.pool.query(
    `UPDATE memo.document_versions v SET metadata = u.metadata
     FROM unnest($2::text[], $3::json[]) AS u(id, metadata) WHERE v.workspace_id = $1 AND v.document_id = u.id`,
    [id, ids, metadata.map((pairs) => JSON.stringify(pairs))],
  );
  const found = async (conditions: object) =>
    (await search(owner, { query: 'notice', ...conditions }, id))
      .map(({ document_id: document }) => ids.indexOf(document) + 1)
      .sort();
  expect(await found({})).toEqual([1, 2, 3, 4]);
  expect(await found({ created_from: '2026-02-01T00:00:00Z' })).toEqual([2, 3, 4]);
  expect(await found({ created_to: '2026-02-01T00:00:00Z' })).toEqual([1]);
  expect(
    await found({ created_from: '2026-02-01T08:00:00+08:00', created_to: '2026-04-01T00:00:00Z' }),
  ).toEqual([2, 3]);
  expect(await found({ updated_from: '2026-04-01T00:00:00.000002Z' })).toEqual([1, 2]);
  expect(await found({ updated_to: '2026-04-02T00:00:00.000001Z' })).toEqual([3, 4]);
  expect(await found({ metadata: { team: 'blue' } })).toEqual([2, 3]);
  expect(await found({ metadata: { team: 'blue', year: 2025 } })).toEqual([2]);
  expect(await found({ metadata: { note: null } })).toEqual([3]);
  expect(await found({ metadata: { isDraft: false } })).toEqual([2]);
  expect(await found({ metadata: { Team: 'blue' } })).toEqual([]);
  expect(await found({ metadata: {} })).toEqual([1, 2, 3, 4]);
  expect(
    await found({
      metadata: { year: 2025 },
      created_from: '2026-01-15T00:00:00Z',
      document_ids: ids.slice(0, 3),
    }),
  ).toEqual([2]);
});

it('refuses conditions that are malformed or that no document can meet', async () => {
  for (const path of [`/${workspace}/search`, `/${workspace}/chat`]) {
    const refusal = (conditions: object) => owner.refusal('POST', path, { query: 'a', ...conditions });
    for (const name of ['created_from', 'created_to', 'updated_from', 'updated_to'])
      for (const value of ['yesterday', 1_769_817_600, null, ['2026-01-31T00:00:00Z']])
        expect((await refusal({ [name]: value }))[0]).toBe(400);
    const time = '2026-01-31T00:00:00Z';
    expect(await refusal({ updated_from: time, updated_to: time })).toEqual([
      400,
      'updated_from: must be before `updated_to`',
    ]);
    for (const metadata of ['team', null, [], { team: ['blue'] }, { '': 1 }, { team: 'a'.repeat(513) }])
      expect((await refusal({ metadata }))[0]).toBe(400);
    expect(await refusal({ metadata: { team: { is: 'blue' } } })).toEqual([
      400,
      'metadata: team must be a text of at most 512 characters, a number, true, false or null',
    ]);
  }
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

it('ranks passages higher that share other words with the best ones', async () => {
  const id = await owner.newWorkspace();
  const index = IndexedWorkspace.of(site.pool, id, owner.accountId);
  const alike = ['boiler with steam', 'boiler with valve and gauge'];
  for (const text of alike) await index.add([text]);
  const others = Array.from({ length: 200 }, (_, n) => `parcel number ${n}`);
  await index.add(others);
  const found = async (query: string) =>
    (await search(owner, { query, k: 50 }, id))
      .map(({ text }) => text)
      .filter((text) => alike.includes(text));
  const best = Array.from({ length: 10 }, (_, n) => `boiler pressure depends on valve and gauge, part ${n}`);
  for (const text of best.slice(3)) await index.add([text]);
  expect(await found('boiler pressure')).toEqual(alike);
  for (const text of best.slice(0, 3)) await index.add([text]);
  expect(await found('boiler pressure')).toEqual(alike.toReversed());
  // The words of a single one, and conditions, are all that is asked for.
  expect(await found('boiler')).toEqual(alike);
  expect(await found('boiler pressure -parcel')).toEqual(alike);
});

it('counts a word of the title twice', async () => {
  const analyzer = await PassageAnalyzer.load();
  const { terms, further } = analyzer.analyze('Boilers', 'The boiler and its valve.');
  const times = (list: string[], term: string) => list.filter((one) => one === term).length;
  expect([times(terms, 'boiler'), times(further, 'boiler'), times(further, 'valv')]).toEqual([2, 1, 0]);
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
