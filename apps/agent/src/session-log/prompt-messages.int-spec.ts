import { newId } from '@inference/database';
import { type Message } from '@inference/model-calls';
import {
  createTestDatabase,
  insertAccount,
  type TestAccount,
  type TestDatabase,
  TestPool,
} from '@inference/testing';
import fc from 'fast-check';
import { ENTITIES } from '../entities';
import { readModelLimits } from '../models/model-limits.repository';
import { readPromptMessages } from './prompt-messages';

let database: TestDatabase;
let pool: TestPool;
let account: TestAccount;

beforeAll(async () => {
  database = await createTestDatabase(ENTITIES);
  pool = TestPool.of({ url: database.urlFor('agent'), applicationName: 'test', size: 2 });
  account = await insertAccount(database.pool);
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

interface Turn {
  /** Tokens of the user's message, and of each tool round: call and result. */
  message: number;
  rounds: number[];
  end: 'completed' | 'failed' | 'cancelled' | 'silent';
}

async function newSession(turns: Turn[]): Promise<string> {
  const id = newId('sess');
  await pool.query('INSERT INTO agent.sessions (id, account_id) VALUES ($1, $2)', [id, account.accountId]);
  let seq = 0;
  for (const [index, { message, rounds, end }] of turns.entries()) {
    const turnId = newId('turn');
    await pool.query(
      `INSERT INTO agent.turns (id, session_id, number, api_key_id, status, answered, ended_at)
       VALUES ($1, $2, $3, $4, $5, $6, now())`,
      [
        turnId,
        id,
        index + 1,
        account.apiKeyId,
        end === 'silent' ? 'failed' : end,
        end === 'completed' || end === 'failed',
      ],
    );
    const add = (type: string, role: string, content: string, tokens: number, call?: string) =>
      pool.query(
        `INSERT INTO agent.events (id, session_id, seq, turn_id, type, role, content, tokens, after_position, status, tool_calls,
           tool_call_results) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, $10, $11)`,
        [
          newId('evt'),
          id,
          ++seq,
          turnId,
          type,
          role,
          content,
          tokens,
          role === 'assistant' ? 'completed' : null,
          type === 'tool_calls'
            ? JSON.stringify([{ id: call, type: 'function', function: { name: 'f', arguments: '{}' } }])
            : null,
          type === 'tool_result' ? JSON.stringify([{ tool_call_id: call, content: 'r' }]) : null,
        ],
      );
    await add('message', 'user', `u${index + 1}`, message);
    for (const [round, tokens] of rounds.entries()) {
      await add('tool_calls', 'assistant', '', tokens, `c${index}.${round}`);
      await add('tool_result', 'tool', '', tokens, `c${index}.${round}`);
    }
    if (end === 'completed') await add('message', 'assistant', `a${index + 1}`, message);
    if (end === 'failed') await add('turn.failed', 'assistant', 'why', 1);
  }
  return id;
}

const isIncluded = (turn: Turn) => turn.end !== 'silent';
const costOf = ({ message, rounds, end }: Turn) =>
  message * (end === 'completed' ? 2 : 1) + 2 * rounds.reduce((sum, tokens) => sum + tokens, 0);
const numbersOf = (messages: Message[]) =>
  messages.flatMap(({ role, content }) => (role === 'user' ? [Number((content ?? '').slice(1))] : []));
const limits = (budget: number) => ({
  context_tokens: Math.ceil(budget / 0.9) + 100,
  max_output_tokens: 100,
});
const read = (sessionId: string, number: number, budget: number) =>
  readPromptMessages(pool, { sessionId, number, system: null, tools: [] }, limits(budget));

const turn = fc.record<Turn>({
  message: fc.integer({ min: 1, max: 50 }),
  rounds: fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 2 }),
  end: fc.constantFrom('completed', 'failed', 'cancelled', 'silent'),
});

it('includes the newest turns that fit, completely, with each result after its call', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 0, max: 600 }),
      async (turns, budget) => {
        const id = await newSession(turns);
        const messages = await read(id, turns.length, budget);
        const candidates = turns
          .map((each, index) => ({ ...each, number: index + 1 }))
          .filter((each) => isIncluded(each) || each.number === turns.length);
        const fitting: number[] = [];
        let left = limits(budget).context_tokens - 100;
        left = Math.floor(left * 0.9);
        for (const each of candidates.reverse()) {
          left -= costOf(each);
          if (left < 0) break;
          fitting.unshift(each.number);
        }
        if (fitting.length === 0) return expect(messages).toBeNull();
        expect(numbersOf(messages!)).toEqual(fitting);
        const called = new Set<string>();
        for (const message of messages!) {
          if (message.role === 'assistant') for (const call of message.tool_calls ?? []) called.add(call.id);
          if (message.role === 'tool') expect(called.has(message.tool_call_id)).toBe(true);
        }
      },
    ),
    { numRuns: 40 },
  );
});

it('reads conversations of many pages, and excludes later turns', async () => {
  const turns = Array.from({ length: 120 }, (): Turn => ({ message: 1, rounds: [], end: 'completed' }));
  const id = await newSession(turns);
  const messages = await read(id, 110, 10_000);
  expect(numbersOf(messages!)).toEqual(Array.from({ length: 110 }, (_, index) => index + 1));
});

it('counts the system prompt and the tools', async () => {
  const id = await newSession([
    { message: 40, rounds: [], end: 'completed' },
    { message: 40, rounds: [], end: 'completed' },
  ]);
  const system = 'word '.repeat(60).trim();
  const readWithSystem = (budget: number) =>
    readPromptMessages(pool, { sessionId: id, number: 2, system, tools: [] }, limits(budget));
  expect(numbersOf((await readWithSystem(300))!)).toEqual([1, 2]);
  expect((await readWithSystem(300))![0]).toEqual({ role: 'system', content: system });
  expect(numbersOf((await readWithSystem(180))!)).toEqual([2]);
  expect(await readWithSystem(100)).toBeNull();
});

it('fits what operators have stored of the model, under each of its names', async () => {
  await database.pool.query(
    `INSERT INTO serving.models (id, slug, context_tokens, max_output_tokens, aliases)
     VALUES ('mod_a', 'a', 1000, 200, '{also-a}'), ('mod_b', 'b', 1000, 1000, '{}'), ('mod_c', 'c', NULL, 50, '{}')`,
  );
  const limitsFor = async (name: string) => {
    const { context_tokens: context, max_output_tokens: output } = await readModelLimits(pool, name);
    return [context, output];
  };
  expect(await limitsFor('a')).toEqual([1_000, 200]);
  expect(await limitsFor('also-a')).toEqual([1_000, 200]);
  // An answer as long as the context would leave no room for the prompt.
  expect(await limitsFor('b')).toEqual([1_000, 250]);
  expect(await limitsFor('c')).toEqual([32_768, 50]);
  expect(await limitsFor('unknown')).toEqual([32_768, 4_096]);
  await database.pool.query(
    "INSERT INTO serving.models (id, slug, context_tokens) VALUES ('mod_every', '*', 8000)",
  );
  expect(await limitsFor('unknown')).toEqual([8_000, 2_000]);
  expect(await limitsFor('a')).toEqual([1_000, 200]);
});
