import fc from 'fast-check';
import { Metrics } from '@inference/http';
import { AnswerMemory, type HeldAnswer } from './answer-memory';
import { type UpstreamsConfig } from './upstreams.config';

const MEBIBYTE = 2 ** 20;
const LIMIT_BYTES = 16 * MEBIBYTE;
/** Of which a quarter is 4 MiB. */
const memoryOf = (answerMemoryBytes = LIMIT_BYTES) =>
  new AnswerMemory({ answerMemoryBytes } as UpstreamsConfig, new Metrics());

/** Notes whether there was room. */
const arrived = (answer: HeldAnswer, mebibytes: number) => {
  const state = { hasRoom: false };
  void Promise.resolve(answer.arrived(mebibytes * MEBIBYTE)).then(() => (state.hasRoom = true));
  return state;
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('has room for short answers, however many there are', async () => {
  const memory = memoryOf();
  const states = Array.from({ length: 100 }, () => arrived(memory.begin('a'), 1));
  await settled();
  expect(states.every(({ hasRoom }) => hasRoom)).toBe(true);
});

it('lets an account hold a quarter, or one answer of any length', async () => {
  const memory = memoryOf();
  const [first, second, other] = [memory.begin('a'), memory.begin('a'), memory.begin('b')];
  const states = [arrived(first, 1.5), arrived(second, 1.5), arrived(other, 1.5)];
  await settled();
  expect(states.map(({ hasRoom }) => hasRoom)).toEqual([true, false, true]);
  // The oldest one is read to its end.
  const longer = arrived(first, 40);
  await settled();
  expect(longer.hasRoom).toBe(true);
  await settled();
  expect(states[1]!.hasRoom).toBe(false);
  first.release();
  await settled();
  expect(states[1]!.hasRoom).toBe(true);
});

it('lets others wait for an answer that is in memory already', async () => {
  const memory = memoryOf(4 * MEBIBYTE);
  const body = Buffer.alloc(5 * MEBIBYTE);
  const [letGo, letGoAgain] = [memory.hold('a', body)!, memory.hold('a', body)!];
  // Another one is too much for the account.
  expect(() => memory.hold('a', Buffer.alloc(2 * MEBIBYTE))).toThrow('too many long answers at once');
  const states = [arrived(memory.begin('a'), 2), arrived(memory.begin('b'), 2)];
  await settled();
  expect(states.map(({ hasRoom }) => hasRoom)).toEqual([false, false]);
  letGo();
  await settled();
  expect(states.map(({ hasRoom }) => hasRoom)).toEqual([false, false]);
  letGoAgain();
  await settled();
  expect(states.map(({ hasRoom }) => hasRoom)).toEqual([true, false]);
  expect(memory.hold('a', Buffer.alloc(MEBIBYTE))).toBeUndefined();
});

it('ends the wait of an answer that is not needed any more', async () => {
  const memory = memoryOf();
  const [first, second] = [memory.begin('a'), memory.begin('a')];
  await first.arrived(4 * MEBIBYTE);
  const state = arrived(second, 3);
  await settled();
  expect(state.hasRoom).toBe(false);
  second.release();
  await settled();
  expect(state.hasRoom).toBe(true);
  expect(second.arrived(9 * MEBIBYTE)).toBeUndefined();
});

it('reads all answers to their end, and never holds more than the limit and one answer', async () => {
  const answers = fc.array(
    fc.record({
      account: fc.constantFrom('a', 'b', 'c'),
      mebibytes: fc.integer({ min: 1, max: 30 }),
      pieces: fc.integer({ min: 1, max: 5 }),
    }),
    { maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(answers, async (all) => {
      const memory = memoryOf();
      const held = new Set<HeldAnswer>();
      let most = 0;
      const serve = async ({ account, mebibytes, pieces }: (typeof all)[number]) => {
        const answer = memory.begin(account);
        held.add(answer);
        for (let piece = 1; piece <= pieces; piece++) {
          await answer.arrived((mebibytes * MEBIBYTE * piece) / pieces);
          most = Math.max(
            most,
            [...held].reduce((sum, { bytes }) => sum + bytes, 0),
          );
        }
        await settled();
        held.delete(answer);
        answer.release();
      };
      await Promise.all(all.map(serve));
      // Each answer is held twice.
      expect(most).toBeLessThanOrEqual(LIMIT_BYTES + 2 * 30 * MEBIBYTE);
    }),
    { numRuns: 200 },
  );
});
