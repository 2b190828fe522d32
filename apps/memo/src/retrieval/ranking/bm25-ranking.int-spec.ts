import { createTestDatabase, insertAccount, type TestDatabase } from '@inference/testing';
import { ENTITIES } from '../../entities';
import { analyzeQuery } from '../analysis/query-analysis';
import { PostingBlock } from '../index/postings/posting-blocks';
import { UnpackedPostings } from '../index/postings/postings';
import { joinTermId } from '../index/term-id';
import { type IndexedDocument, IndexedWorkspace, rankNaively } from './indexed-workspace.fixture';
import { type ScoredChunk } from './top-chunks';

let database: TestDatabase;
let accountId: string;

beforeAll(async () => {
  database = await createTestDatabase(ENTITIES);
  ({ accountId } = await insertAccount(database.pool, { balancePicos: 0n }));
});
afterAll(() => database?.drop());

const workspace = () => IndexedWorkspace.create(database.pool, accountId);
const wordsOf = (query: string) => analyzeQuery(query, ['en']).words;

/** A reproducible sequence of integers below a limit. */
function randomIntegers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * limit);
  };
}

const SYLLABLES = ['ba', 'ke', 'li', 'mo', 'nu', 'pra', 'sti'];
const CHARACTERS = '退款政策需要五天工作时间在的';

/** Few frequent and many rare words, in both scripts. */
function textOf(roll: (limit: number) => number, words: number): string {
  const word = () => {
    let rank = roll(roll(60) + 1);
    let text = '';
    do text += SYLLABLES[rank % 7]!;
    while ((rank = Math.floor(rank / 7)) > 0);
    return `${text}x`;
  };
  const chinese = () => Array.from({ length: 4 }, () => CHARACTERS[roll(roll(14) + 1)]).join('');
  return Array.from({ length: words }, () => (roll(5) === 0 ? chinese() : word())).join(' ');
}

async function expectExact(own: IndexedWorkspace, query: string): Promise<ScoredChunk[]> {
  const words = wordsOf(query);
  const found = (await own.rank(words, 10))!;
  const naive = rankNaively(own.documents, words, 10);
  expect([found.chunks, found.words]).toEqual([naive.chunks, naive.words]);
  found.weights.score.forEach((weight, place) => expect(weight).toBeCloseTo(naive.weights[place]!, 12));
  expect(found.best.map(({ score }) => score.toFixed(9))).toEqual(
    naive.best.map(({ score }) => score.toFixed(9)),
  );
  const equal = new Set(naive.best.map(({ score }) => score.toFixed(9))).size < naive.best.length;
  // Sums in a different order may differ in the last bit.
  if (!equal) expect(found.best.map(({ number }) => number)).toEqual(naive.best.map(({ number }) => number));
  return found.best;
}

it.each([1, 2])('agrees with a scan over all chunks after any history (%i)', async (seed) => {
  const roll = randomIntegers(seed);
  const own = await workspace();
  let merges = 0;
  for (let step = 0; step < 45; step++) {
    const documents = roll(10) === 0 ? 30 : 2;
    for (let i = 0; i < documents; i++)
      await own.add(Array.from({ length: 1 + roll(2) }, () => textOf(roll, 5 + roll(40))));
    if (roll(4) === 0)
      await own.add(
        Array.from({ length: 25 }, () => textOf(roll, 30)),
        [20, 5],
      );
    for (let i = roll(4); i > 0; i--) await own.retire(own.documents[roll(own.documents.length)]!);
    const before = await own.segments();
    await own.merge();
    if ((await own.segments()).length < before.length) merges += 1;
    if (step % 5 === 0) await expectExact(own, textOf(roll, 6));
  }
  expect(merges).toBeGreaterThan(0);
  expect((await own.segments()).length).toBeLessThan(48);
});

it('ignores words that most passages contain, unless there are no others', async () => {
  const own = await workspace();
  const texts = (count: number, text: string) => Array.from({ length: count }, () => text);
  await own.add([...texts(700, 'common mill'), ...texts(450, 'other'), 'common rare'], [700, 451]);
  const retired = await own.add(texts(600, 'common'));
  await own.retire(retired);
  expect((await expectExact(own, 'common rare')).map(({ number }) => number)).toEqual([1_150]);
  expect(await expectExact(own, 'common')).toHaveLength(10);
  expect(await expectExact(own, 'common other')).toHaveLength(10);
  const chinese = await workspace();
  await chinese.add([...texts(9, '天 天气'), '五']);
  await expectExact(chinese, '五天');
  await expectExact(chinese, '天');
});

it('finds nothing that contains too little of the query', async () => {
  const own = await workspace();
  await own.add(['The refund takes five days.', 'A parcel takes a week.']);
  expect(await expectExact(own, 'How many days does the refund take?')).toHaveLength(2);
  expect(
    await expectExact(own, 'Which quantum chromodynamics lattice takes gluon confinement seriously?'),
  ).toEqual([]);
});

it('ranks the older of two equal passages first', async () => {
  const own = await workspace();
  for (let i = 0; i < 20; i++) await own.add(['the same words']);
  const { best } = (await own.rank(wordsOf('same words'), 5))!;
  expect(best.map(({ number }) => number)).toEqual([0, 1, 2, 3, 4]);
});

it('gives scores that do not depend on other workspaces', async () => {
  const roll = randomIntegers(3);
  const [own, other] = [await workspace(), await workspace()];
  const texts = Array.from({ length: 60 }, () => textOf(roll, 30));
  for (const text of texts) await own.add([text]);
  const words = wordsOf(textOf(roll, 8));
  const alone = await own.rank(words, 20);
  for (const text of [...texts, ...texts]) await other.add([text, 'ba bax ke li']);
  await other.retire(other.documents[3]!);
  await other.merge();
  expect(await own.rank(words, 20)).toEqual(alone);
});

describe('segments with a row for each term', () => {
  /** Stores all postings of the workspace as the version before blocks did. */
  async function withoutBlocks(own: IndexedWorkspace): Promise<void> {
    const { rows } = await database.pool.query<{ segment_id: bigint; term: bigint; block: Buffer }>(
      `DELETE FROM memo.postings USING memo.segments s WHERE s.id = segment_id AND s.workspace_id = $1
       RETURNING segment_id, term, block`,
      [own.id],
    );
    for (const { segment_id: segmentId, block: bytes } of rows) {
      const block = new PostingBlock(bytes);
      for (let i = 0; i < block.terms; i++) {
        const [id, list] = [joinTermId(block.high(i), block.low(i)), block.list(i)];
        const unpacked = new UnpackedPostings();
        unpacked.append(list);
        const values = [segmentId, id, unpacked.length, list];
        await database.pool.query('INSERT INTO memo.postings VALUES ($1, $2, $3, $4)', values);
      }
    }
  }

  it('are searched, and merged into blocks', async () => {
    const roll = randomIntegers(5);
    const own = await workspace();
    for (let i = 0; i < 60; i++) await own.add(Array.from({ length: 25 }, () => textOf(roll, 20)));
    await withoutBlocks(own);
    for (let i = 0; i < 10; i++) await own.add([textOf(roll, 20)]);
    await expectExact(own, textOf(roll, 6));
    await expectExact(own, 'bax');
    await own.retire(own.documents[7]!);
    await own.merge();
    const { rows } = await database.pool.query<{ old: number; blocks: number }>(
      `SELECT count(data)::integer AS old, count(block)::integer AS blocks
       FROM memo.postings JOIN memo.segments s ON s.id = segment_id WHERE s.workspace_id = $1`,
      [own.id],
    );
    expect(rows[0]!.blocks).toBeGreaterThan(0);
    await expectExact(own, textOf(roll, 6));
  });
});

describe('merging', () => {
  it('applies the retired chunks of a version exactly while its segments are merged one by one', async () => {
    const own = await workspace();
    const long = await own.add(
      Array.from({ length: 1_034 }, (_, n) => `long text ${n % 50}`),
      [1_024, 10],
    );
    for (let i = 0; i < 47; i++) await own.add([`short text ${i}`]);
    await own.retire(long);
    expect(await own.retired()).toEqual([1_034]);
    // First the small segments including the ten, then the large one with many retired chunks.
    expect(await own.mergeOnce()).toBe(true);
    expect([await own.segments(), await own.retired()]).toEqual([[47, 1_024], [1_024]]);
    await expectExact(own, 'short text 7');
    await own.merge();
    expect(await own.segments()).toEqual([47]);
    expect(await own.retired()).toEqual([]);
    await expectExact(own, 'short text 7');
  });

  it('removes only the dropped chunks if a version also has chunks in other segments', async () => {
    const own = await workspace();
    const texts = (count: number, word: string) => Array.from({ length: count }, (_, n) => `${word} ${n}`);
    const filling = await own.add(texts(4_000, 'filling'), [4_000]);
    for (let i = 0; i < 46; i++) await own.add([`short ${i}`]);
    const both = await own.add(texts(12, 'both'), [6, 6]);
    await own.merge();
    const late = await own.add(texts(3, 'late'));
    await own.retire(both);
    await own.retire(late);
    expect(await own.retired()).toEqual([12, 3]);
    await own.merge();
    expect(await own.retired()).toEqual([12, 3]);
    await expectExact(own, 'short 7 both');
    for (let i = 0; i < 47; i++) await own.add([`more ${i}`]);
    await own.merge();
    expect(await own.retired()).toEqual([]);
    expect(await own.segments()).toEqual([93, 4_000]);
    await own.retire(filling);
    await own.merge();
    expect(await own.segments()).toEqual([93]);
    await expectExact(own, 'more 7 short');
  });

  it('runs concurrently with retirements and searches', async () => {
    const own = await workspace();
    const roll = randomIntegers(4);
    for (let i = 0; i < 60; i++) await own.add(Array.from({ length: 10 }, () => textOf(roll, 20)));
    const sums = (documents: IndexedDocument[]) => rankNaively(documents, [], 0);
    const possible = new Set<string>();
    const remember = () => {
      const { chunks, words } = sums(own.documents);
      possible.add(`${chunks} ${words}`);
    };
    remember();
    let isOver = false;
    const words = wordsOf('ba bax kex');
    const searching = (async () => {
      const seen: string[] = [];
      while (!isOver) {
        const found = await own.rank(words, 5);
        if (found) seen.push(`${found.chunks} ${found.words}`);
      }
      return seen;
    })();
    const retiring = (async () => {
      for (let i = 0; i < 25; i++) {
        await own.retire(own.documents[roll(own.documents.length)]!);
        remember();
      }
    })();
    await Promise.all([own.merge(), own.merge(), retiring]).finally(() => (isOver = true));
    await own.merge();
    for (const seen of await searching) expect(possible).toContain(seen);
    await expectExact(own, 'ba bax kex');
  });

  it('leaves nothing of a workspace that is deleted meanwhile', async () => {
    const own = await workspace();
    for (let i = 0; i < 50; i++) await own.add([`text ${i}`]);
    await database.pool.query('DELETE FROM memo.workspaces WHERE id = $1', [own.id]);
    await own.merge();
    expect(await own.segments()).toHaveLength(50);
  });
});
