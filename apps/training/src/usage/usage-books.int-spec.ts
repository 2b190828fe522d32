import { reconcile } from '@inference/metering';
import {
  createTestDatabase,
  insertAccount,
  publishTrainingPrice,
  type TestAccount,
  type TestDatabase,
  TestPool,
} from '@inference/testing';
import fc from 'fast-check';
import { ENTITIES } from '../entities';
import { type Reply, type RunningTraining, startTraining, TRAINER_SECRET, USAGE } from '../training.fixture';

const RATE_PICOS = 7_000_003n;
const QUOTA = 100;
const RUNS = 12;

interface Sent {
  account: number;
  id: number;
  model: string;
  tokens: number;
}

/** Few ids and amounts, so that most reports repeat or conflict with an earlier or concurrent one. */
const sent = fc.record<Sent>({
  account: fc.nat(1),
  id: fc.nat(5),
  model: fc.constantFrom('a', 'b'),
  tokens: fc.constantFrom(1, 10, 30, 60),
});

let database: TestDatabase;
/** Two replicas of the service. */
let services: RunningTraining[];

beforeAll(async () => {
  database = await createTestDatabase(ENTITIES);
  const environment = {
    DATABASE_URL: database.urlFor('training'),
    TRAINING_DEFAULT_QUOTA_TOKENS: String(QUOTA),
  };
  services = [await startTraining(environment), await startTraining(environment)];
  await publishTrainingPrice(database.pool, RATE_PICOS);
});
afterAll(async () => {
  await Promise.all(services.map(({ app }) => app.close()));
  await database.drop();
});

interface Books {
  balance: bigint;
  used: bigint;
  recorded: bigint;
  event_tokens: bigint;
  event_cost: bigint;
  rollup_tokens: bigint;
  rollup_cost: bigint;
}

async function booksOf({ accountId }: TestAccount): Promise<Books> {
  const { rows } = await database.pool.query<Books>(
    `SELECT (SELECT balance_picos FROM wallet.wallets WHERE account_id = $1) AS balance,
       (SELECT coalesce(sum(used_tokens), 0) FROM training.quotas WHERE account_id = $1) AS used,
       (SELECT coalesce(sum(tokens), 0) FROM training.usage_records WHERE account_id = $1) AS recorded,
       (SELECT coalesce(sum(input_tokens + output_tokens), 0) FROM metering.usage_events WHERE account_id = $1) AS event_tokens,
       (SELECT coalesce(sum(cost_picos), 0) FROM metering.usage_events WHERE account_id = $1) AS event_cost,
       (SELECT coalesce(sum(tokens), 0) FROM metering.hourly_rollup
        WHERE account_id = $1 AND entrypoint = 'training') AS rollup_tokens,
       (SELECT coalesce(sum(cost_picos), 0) FROM metering.hourly_rollup WHERE account_id = $1) AS rollup_cost`,
    [accountId],
  );
  return rows[0]!;
}

/** Returns the tokens of the accepted ids of an account. Asserts that all responses that accept an id are identical. */
function acceptedTokens(records: Sent[], replies: Reply[], account: number): bigint {
  const accepted = new Map<number, { text: string; tokens: number }>();
  replies.forEach(({ status, text }, index) => {
    const { id, tokens, account: owner } = records[index]!;
    if (status !== 201 || owner !== account) return;
    expect(accepted.get(id)?.text ?? text).toBe(text);
    accepted.set(id, { text, tokens });
  });
  return [...accepted.values()].reduce((sum, { tokens }) => sum + BigInt(tokens), 0n);
}

it('counts and charges each record once, for any mix of concurrent and repeated reports', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(sent, { minLength: 1, maxLength: 24 }),
      fc.tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 120 })),
      async (records, affordable) => {
        run++;
        const opening = affordable.map((tokens) => RATE_PICOS * BigInt(tokens));
        const accounts = [
          await insertAccount(database.pool, { balancePicos: opening[0]! }),
          await insertAccount(database.pool, { balancePicos: opening[1]! }),
        ];
        const replies = await Promise.all(
          records.map(({ account, id, model, tokens }, index) =>
            services[index % 2]!.call('POST', USAGE, TRAINER_SECRET, {
              id: `run-${run}-${id}`,
              account_id: accounts[account]!.accountId,
              model,
              tokens,
            }),
          ),
        );
        for (const { status } of replies) expect([201, 402, 403, 409]).toContain(status);
        for (const [index, account] of accounts.entries()) {
          const tokens = acceptedTokens(records, replies, index);
          const cost = tokens * RATE_PICOS;
          expect(await booksOf(account)).toEqual({
            balance: opening[index]! - cost,
            used: tokens,
            recorded: tokens,
            event_tokens: tokens,
            event_cost: cost,
            rollup_tokens: tokens,
            rollup_cost: cost,
          });
          expect(tokens <= BigInt(QUOTA) && cost <= opening[index]!).toBe(true);
        }
      },
    ),
    { numRuns: RUNS },
  );
  expect(await reconcile(database.pool)).toEqual([]);
});

it('charges a record once although its response was lost', async () => {
  const { accountId } = await insertAccount(database.pool, { balancePicos: RATE_PICOS * 100n });
  // The statement of the service is committed, but the service never gets the result.
  const pool = TestPool.of({ url: database.urlFor('training'), applicationName: 'lost', size: 1 });
  const statement = "SELECT * FROM training.record_usage('lost', $1, 'a', 10, 'trn_lost', 'training', 100)";
  await pool.query(statement, [accountId]);
  await pool.end();
  const content = { id: 'lost', account_id: accountId, model: 'a', tokens: 10 };
  expect((await services[0]!.call('POST', USAGE, TRAINER_SECRET, content)).status).toBe(201);
  expect(await booksOf({ accountId, apiKey: '', apiKeyId: '' })).toMatchObject({
    balance: RATE_PICOS * 90n,
    used: 10n,
  });
});
