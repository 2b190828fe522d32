import { Groups } from './documents.service';

/** Records the groups, and lets a test end each of them. */
function recorded() {
  const groups: string[][] = [];
  const ends: ((error?: Error) => void)[] = [];
  const work = (items: string[]) =>
    new Promise<string[]>((resolve, reject) => {
      groups.push(items);
      ends.push((error) => (error ? reject(error) : resolve(items.map((item) => item.toUpperCase()))));
    });
  return { groups, ends, queue: new Groups(work, (error) => (error as Error).message !== 'unclear') };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('runs an item at once, and those that arrive meanwhile together', async () => {
  const { groups, ends, queue } = recorded();
  const results = ['a', 'b', 'c'].map((item) => queue.run('key', item));
  expect(groups).toEqual([['a']]);
  ends[0]!();
  expect(await results[0]).toBe('A');
  await settled();
  expect(groups).toEqual([['a'], ['b', 'c']]);
  ends[1]!();
  expect(await Promise.all(results)).toEqual(['A', 'B', 'C']);
});

it('runs different keys independently', () => {
  const { groups, queue } = recorded();
  void queue.run('one', 'a');
  void queue.run('other', 'b');
  expect(groups).toEqual([['a'], ['b']]);
});

it('tries the items of a failed group one by one', async () => {
  const { groups, ends, queue } = recorded();
  const results = ['a', 'b', 'c'].map((item) => queue.run('key', item));
  const outcomes = Promise.allSettled(results);
  ends[0]!();
  await settled();
  ends[1]!(new Error('together'));
  await settled();
  ends[2]!(new Error('alone'));
  await settled();
  ends[3]!();
  expect(await outcomes).toMatchObject([{ value: 'A' }, { reason: { message: 'alone' } }, { value: 'C' }]);
  expect(groups).toEqual([['a'], ['b', 'c'], ['b'], ['c']]);
});

it('does not repeat work that may be done', async () => {
  const { groups, ends, queue } = recorded();
  const outcomes = Promise.allSettled(['a', 'b', 'c'].map((item) => queue.run('key', item)));
  ends[0]!();
  await settled();
  ends[1]!(new Error('unclear'));
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(groups).toEqual([['a'], ['b', 'c']]);
});

it('has at most 64 items in a group', async () => {
  const { groups, ends, queue } = recorded();
  for (let n = 0; n < 70; n++) void queue.run('key', String(n));
  ends[0]!();
  await settled();
  expect(groups.map(({ length }) => length)).toEqual([1, 64]);
});
