import { waitFor } from '@inference/testing';
import { MemoSite, type Person } from '../../memo.fixture';
import { IndexedWorkspace } from '../ranking/indexed-workspace.fixture';
import { type SearchResultResponse } from '../search/search.dto';
import { ANALYSIS } from './segment';

let site: MemoSite;
let owner: Person;

beforeAll(async () => {
  site = await MemoSite.start({ environment: { RATE_LIMIT_MULTIPLIER: '100' } });
  owner = await site.person();
});
afterAll(() => site?.stop());

const TEXTS = Array.from({ length: 60 }, (_, n) => `Replace part E-${4_000 + n} of the boiler with care.`);

const found = async (workspace: string, query: string): Promise<string[]> =>
  (
    await owner.json<{ results: SearchResultResponse[] }>('POST', `/${workspace}/search`, { query, k: 50 })
  ).results.map(({ text }) => text);

it('replaces segments of the former analysis while searches find each passage exactly once', async () => {
  const workspace = await owner.newWorkspace();
  const index = IndexedWorkspace.of(site.pool, workspace, owner.accountId);
  const kept = await index.add(TEXTS.slice(0, 40), [10, 30], true);
  const retired = await index.add(TEXTS.slice(40, 50), [10], true);
  await index.add(TEXTS.slice(50), [10]);
  await index.retire(retired);
  expect(await found(workspace, 'E4003')).toEqual([]);
  expect(await found(workspace, 'boiler care')).toHaveLength(50);

  let isOver = false;
  const counts = new Set<number>();
  const searches = Array.from({ length: 4 }, async () => {
    while (!isOver) counts.add(new Set(await found(workspace, 'boiler care')).size);
  });
  // The worker finds the former segments by itself.
  const worker = site.startIngestion();
  const rebuilt = waitFor(async () => {
    const { rows } = await site.pool.query<{ n: number }>(
      'SELECT count(*)::integer AS n FROM memo.segments WHERE workspace_id = $1 AND analysis < $2',
      [workspace, ANALYSIS],
    );
    return rows[0]!.n === 0;
  }, 120_000).finally(() => (isOver = true));
  await Promise.all([rebuilt, ...searches]);
  worker.kill();
  expect([...counts]).toEqual([50]);
  expect(await found(workspace, 'boiler care')).toHaveLength(50);
  expect((await found(workspace, 'E4003'))[0]).toBe(TEXTS[3]);
  expect(await found(workspace, 'boilr')).toHaveLength(50);
  // The counts of retired chunks stay right: nothing of the retired document is left to subtract.
  await index.retire(kept);
  expect(await found(workspace, 'boiler care')).toHaveLength(10);
});
