import {
  createTestDatabase,
  insertAccount,
  insertApiKey,
  publishPrices,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { readLeases, runReconcile, wronglyBilled } from './ledger-totals';
import { type CallResult } from '../load/call-result';
import { ContinuousLoad, LOAD_PRICES } from '../load/continuous-load';
import { rawCall } from '../load/raw-calls';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

jest.setTimeout(600_000);

const GATEWAYS = 4;
const KILLS = Number(process.env.KILLS ?? 6);
const CONCURRENCY = 16;
const LEASE_TTL_SECONDS = 2;
/** Delay of each settlement and each fold before its commit, so that many kills interrupt one. */
const SETTLEMENT_SECONDS = 0.03;
const TERMINATION_MILLIS = 6_000;
const PLENTY_PICOS = 100_000_000_000_000n;

let database: TestDatabase;
let site: Site;
let gateways: ServiceProcess[];
let apiKeys: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(database.pool, LOAD_PRICES);
  await slowSettlementDown();
  const first = await insertAccount(database.pool, { balancePicos: PLENTY_PICOS });
  const second = await insertAccount(database.pool, { balancePicos: PLENTY_PICOS });
  const limited = await insertApiKey(database.pool, second.accountId, { spendLimitPicos: PLENTY_PICOS / 2n });
  apiKeys = [first.apiKey, limited.apiKey];
  site = new Site(database);
  const engine = await site.startEngine();
  const environment = { LEASE_TTL_SECONDS: String(LEASE_TTL_SECONDS) };
  gateways = await Promise.all(
    Array.from({ length: GATEWAYS }, () => site.startGateway(engine, environment)),
  );
  await publishCosts();
});

afterAll(async () => {
  await site?.stop();
  await database?.drop();
});

/** What the upstream takes for a token of input and of output. */
const COST_PICOS = [10_003n, 20_011n] as const;

/** Publishes what the upstream takes, and waits until each gateway knows it. */
async function publishCosts(): Promise<void> {
  await database.pool.query(
    `WITH list AS (INSERT INTO pricing.cost_price_lists (upstream_id) SELECT id FROM serving.upstreams RETURNING id)
     INSERT INTO pricing.cost_prices (cost_price_list_id, position, model, unit, rate_picos)
     SELECT list.id, row_number() OVER (), slug, unit, rate
     FROM list, unnest($1::text[]) slug,
       (VALUES ('per_million_input_tokens', $2::numeric), ('per_million_output_tokens', $3::numeric)) units (unit, rate)`,
    [[...new Set(LOAD_PRICES.map(({ slug }) => slug))], ...COST_PICOS],
  );
  await database.pool.query("SELECT pg_notify('serving', '')");
  const isCosted = async ({ url: gatewayUrl }: ServiceProcess) => {
    const body = {
      model: LOAD_PRICES[0]!.slug,
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: 2,
    };
    const { requestId } = await rawCall({ gatewayUrl, apiKey: apiKeys[0]!, body });
    const { rows } = await database.pool.query<{ costs: unknown[] | null }>(
      'SELECT upstream_costs AS costs FROM metering.usage_events WHERE request_id = $1',
      [requestId],
    );
    return (rows[0]?.costs?.length ?? 0) > 0;
  };
  await Promise.all(gateways.map((gateway) => waitFor(() => isCosted(gateway))));
}

/** The margins of all days, and the same counted from the tokens of the events. */
async function readMargins(): Promise<[told: object, counted: object]> {
  const told = await database.pool.query<object>(
    `SELECT sum(calls)::bigint AS calls, sum(uncosted_calls)::bigint AS uncosted, sum(revenue_picos)::numeric AS revenue,
       sum(cost_picos)::numeric AS cost FROM metering.daily_margins`,
  );
  const counted = await database.pool.query<object>(
    `SELECT count(*) AS calls, count(*) FILTER (WHERE NOT is_costed) AS uncosted, sum(cost_picos)::numeric AS revenue,
       sum(input_tokens * $1::numeric + output_tokens * $2::numeric) FILTER (WHERE is_costed) AS cost
     FROM (SELECT *, coalesce(jsonb_array_length(upstream_costs), 0) > 0 AS is_costed FROM metering.usage_events) e`,
    [...COST_PICOS],
  );
  return [told.rows[0]!, counted.rows[0]!];
}

async function slowSettlementDown(): Promise<void> {
  await database.pool.query(`
    CREATE FUNCTION metering.linger() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_catalog.pg_sleep(${SETTLEMENT_SECONDS});
      RETURN NULL;
    END $$;
    CREATE TRIGGER linger AFTER INSERT ON metering.usage_events FOR EACH STATEMENT EXECUTE FUNCTION metering.linger();
    CREATE TRIGGER linger AFTER DELETE ON metering.unfolded_usage FOR EACH STATEMENT EXECUTE FUNCTION metering.linger()`);
}

const startLoad = () =>
  new ContinuousLoad(
    gateways.map(({ url }) => url),
    apiKeys,
    CONCURRENCY,
  );

const randomPause = (fromMillis: number, toMillis: number) =>
  new Promise((resolve) => setTimeout(resolve, fromMillis + Math.random() * (toMillis - fromMillis)));

/** Waits until the leases, which no gateway renews any more, expire. */
async function leasesAreGone(): Promise<void> {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  const { rows } = await database.pool.query<{ seconds: number | null }>(
    'SELECT extract(epoch FROM max(expires_at) - clock_timestamp())::float8 AS seconds FROM wallet.leases',
  );
  expect(rows[0]!.seconds ?? 0).toBeLessThanOrEqual(LEASE_TTL_SECONDS);
  await waitFor(async () => {
    await database.pool.query('SELECT wallet.reclaim_expired_leases()');
    return (await readLeases(database.pool)).leases === 0n;
  });
  expect(await readLeases(database.pool)).toEqual({ leases: 0n, walletPicos: 0n, keyPicos: 0n });
}

function requestIdsOf(results: CallResult[]): string[] {
  return results.flatMap(({ complete, requestId }) => (complete && requestId ? [requestId] : []));
}

test(`complete responses are billed once during ${KILLS} kills with -9 under load`, async () => {
  const load = startLoad();
  let kills = 0;
  const killAndRestart = async (pair: ServiceProcess[]) => {
    for (let turn = 0; kills < KILLS; turn++) {
      kills++;
      const gateway = pair[turn % pair.length]!;
      await randomPause(20, 300);
      await waitFor(() => load.inFlight > 0);
      await gateway.kill();
      await gateway.start();
    }
  };
  // One gateway of each pair serves while the other one is killed.
  const pairs = [gateways.slice(0, 2), gateways.slice(2)];
  await Promise.all(pairs.map(killAndRestart)).finally(() => load.stop());
  const results = await load.stop();
  const complete = results.filter((result) => result.complete);
  const broken = results.filter((result) => result.status === 200 && !result.complete);
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set([200, 0]));
  expect(complete.length).toBeGreaterThan(KILLS);
  expect(broken.length).toBeGreaterThan(0);
  expect(await wronglyBilled(database.pool, results)).toEqual([]);
  expect(new Set(requestIdsOf(results)).size).toBe(complete.length);
  await leasesAreGone();
  expect(await runReconcile(database)).toContain('no difference');
  const [told, counted] = await readMargins();
  expect(told).toEqual(counted);
});

test('complete responses are billed once while database connections break', async () => {
  await Promise.all(gateways.filter(({ isRunning }) => !isRunning).map((gateway) => gateway.start()));
  const load = startLoad();
  const deadline = Date.now() + TERMINATION_MILLIS;
  let terminated = 0;
  while (Date.now() < deadline) {
    await randomPause(20, 200);
    const { rowCount } = await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'gateway%' AND random() < 0.5`,
    );
    terminated += rowCount ?? 0;
  }
  const results = await load.stop();
  expect(terminated).toBeGreaterThan(20);
  expect(gateways.filter(({ isRunning }) => !isRunning).map(({ output }) => output)).toEqual([]);
  expect(results.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  expect(results.filter(({ complete }) => complete).length).toBeGreaterThan(CONCURRENCY);
  expect(await wronglyBilled(database.pool, results)).toEqual([]);
  await leasesAreGone();
  expect(await runReconcile(database)).toContain('no difference');
});
