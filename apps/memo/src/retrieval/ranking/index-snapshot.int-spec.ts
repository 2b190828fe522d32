import { type Executor } from '@inference/database';
import { createTestDatabase, insertAccount, type TestDatabase } from '@inference/testing';
import { ENTITIES } from '../../entities';
import { analyzeQuery } from '../analysis/query-analysis';
import { IndexedWorkspace } from './indexed-workspace.fixture';
import { readSnapshot, type ReadSnapshot } from './index-snapshot.repository';

let database: TestDatabase;
let workspace: IndexedWorkspace;
/** Number of terms of which the postings were asked for, by statement. */
let asked: number[];

beforeAll(async () => {
  database = await createTestDatabase(ENTITIES);
  const { accountId } = await insertAccount(database.pool, { balancePicos: 0n });
  workspace = await IndexedWorkspace.create(database.pool, accountId);
  await workspace.add(['barn and stall', 'a stall with hay', 'wheat and hay'], [1, 2]);
});
beforeEach(() => (asked = []));
afterAll(() => database?.drop());

const read = (query: string, withCommon: boolean, earlier?: ReadSnapshot) => {
  const executor = {
    query: (statement: { values: unknown[][] }) => {
      asked.push(statement.values[1]!.length);
      return database.pool.query(statement as never);
    },
  };
  const { words } = analyzeQuery(query, ['en']);
  return readSnapshot(executor as unknown as Executor, workspace.id, words, withCommon, null, earlier);
};

/** In an order of its own, as rankings do not depend on that of the lists. */
const contents = ({ lists, ...others }: ReadSnapshot) => ({
  ...others,
  lists: lists.map(({ segmentId, term, packed }) => `${segmentId} ${term} ${packed.toString('hex')}`).sort(),
});

it('reads the postings of further words only', async () => {
  const earlier = await read('barn stall', false);
  const widened = await read('stall wheat hay', false, earlier);
  expect(asked).toEqual([2, 2]);
  expect(contents(widened)).toEqual(contents(await read('stall wheat hay', false)));
  asked = [];
  const same = await read('hay stall', false, widened);
  expect(asked).toEqual([0]);
  expect(contents(same)).toEqual(contents(await read('hay stall', false)));
});

it('reads all postings again if segments have come or gone', async () => {
  const earlier = await read('barn stall', false);
  await workspace.add(Array(50).fill('a barn of stone') as string[], Array(50).fill(1) as number[]);
  const added = await read('barn stall wheat', false, earlier);
  expect(contents(added)).toEqual(contents(await read('barn stall wheat', false)));
  await workspace.merge();
  const merged = await read('barn stall wheat', false, added);
  expect(merged.segmentIds).not.toEqual(added.segmentIds);
  expect(contents(merged)).toEqual(contents(await read('barn stall wheat', false)));
});

it('counts passages that were retired meanwhile', async () => {
  const document = await workspace.add(['a meadow']);
  const earlier = await read('meadow', false);
  await workspace.retire(document);
  const later = await read('meadow hay', false, earlier);
  expect(later.chunks).toBe(earlier.chunks - 1);
  expect(contents(later)).toEqual(contents(await read('meadow hay', false)));
});

it('reads all postings again if common ones were left out', async () => {
  const earlier = await read('barn', false);
  await read('barn', true, earlier);
  expect(asked).toEqual([1, 1]);
});
