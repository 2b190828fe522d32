import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { createService, type ServiceOptions } from '@inference/http';
import { charge, countsOf, reconcile, type UnitRate } from '@inference/metering';
import { startSandboxEngine, type SandboxEngine } from '@inference/sandbox-engine';
import {
  createTestDatabase,
  holdToContract,
  insertAccount,
  publishPrices,
  rememberEnvironment,
  TEST_API_KEY_HASH_SECRET,
  TEST_UPSTREAM_ENCRYPTION_KEY,
  type TestAccount,
  type TestDatabase,
  testLog,
  type TestPool,
  waitFor,
} from '@inference/testing';
import { ENTITIES } from '../entities';
import { AppModule } from '../app.module';
import { readGatewayConfig } from '../config';
import { type LimitsConfig } from '../limits/limits.config';
import { gatewayService } from '../service-options';
import { ServingDirectory } from '../upstreams/directory.service';

export const UNITY = 10n ** 10n;

/** Default prices of the tests. */
export const RATES: UnitRate[] = [
  { unit: 'per_million_input_tokens', ratePicos: 150_000n },
  { unit: 'per_million_output_tokens', ratePicos: 600_000n },
];
/** A wallet balance that no test exhausts, in picos. */
export const PLENTY = 10n ** 15n;

export type Environment = Record<string, string>;

export const testEnvironment = (databaseUrl: string, upstreams: unknown): Environment => ({
  SITE: 'intl',
  HOST: '127.0.0.1',
  PORT: '0',
  NODE_ENV: 'test',
  LOG_LEVEL: 'trace',
  DATABASE_URL: databaseUrl,
  CONSOLE_URL: 'http://127.0.0.1:9',
  CONSOLE_UI_URL: 'https://console.test',
  API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
  UPSTREAM_ENCRYPTION_KEYS: TEST_UPSTREAM_ENCRYPTION_KEY,
  UPSTREAM_PRIVATE_NETWORKS: 'allowed',
  // A second gateway of a test may have other ones.
  UPSTREAMS_APPLY: 'until_changed',
  UPSTREAMS: JSON.stringify(upstreams),
});

export interface Gateway {
  app: NestExpressApplication;
  url: string;
  close(): Promise<void>;
}

/**
 * @param logTo receives the log instead of the logs that are searched for secrets
 * @param limits replaces parts of the configuration of limits that no variable changes
 */
export async function startGateway(
  environment: Environment,
  logTo: NonNullable<ServiceOptions['logTo']> = testLog('gateway'),
  limits: Partial<LimitsConfig> = {},
): Promise<Gateway> {
  rememberEnvironment(environment);
  const read = readGatewayConfig(environment);
  const config = { ...read, limits: { ...read.limits, ...limits } };
  const options = { ...gatewayService(), logTo };
  const app = await createService(AppModule.forRoot(config), config, options);
  holdToContract(app, 'gateway');
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  let closed: Promise<void> | undefined;
  return { app, url: `http://127.0.0.1:${port}`, close: () => (closed ??= app.close()) };
}

export function publish(pool: TestPool, models: Record<string, UnitRate[]>): Promise<bigint> {
  const prices = Object.entries(models).flatMap(([slug, rates]) => rates.map((rate) => ({ slug, ...rate })));
  return publishPrices(pool, prices);
}

export interface StoredEvent {
  request_id: string;
  api_key_id: string;
  model: string;
  entrypoint: string;
  endpoint: string;
  upstream: string;
  outcome: string;
  input_tokens: bigint;
  output_tokens: bigint;
  estimated: boolean;
  price_list_id: bigint;
  usd_per_unit: string;
  cost_picos: bigint;
  cost_usd_picos: bigint;
}

export async function eventsOf(pool: TestPool, accountId: string): Promise<StoredEvent[]> {
  const { rows } = await pool.query<StoredEvent>(
    `SELECT request_id, api_key_id, model, entrypoint, endpoint, upstream, outcome, input_tokens, output_tokens,
       estimated, price_list_id, usd_per_unit::text AS usd_per_unit, cost_picos, cost_usd_picos
     FROM metering.usage_events WHERE account_id = $1 ORDER BY occurred_at, request_id`,
    [accountId],
  );
  return rows;
}

export async function walletOf(pool: TestPool, accountId: string) {
  const { rows } = await pool.query<{ balance: bigint; leased: bigint; leases: bigint; rolled_up: bigint }>(
    `SELECT balance_picos AS balance, leased_picos AS leased,
       (SELECT coalesce(sum(amount_picos), 0) FROM wallet.leases l WHERE l.account_id = w.account_id) AS leases,
       (SELECT coalesce(sum(cost_picos), 0) FROM metering.hourly_usage r WHERE r.account_id = w.account_id) AS rolled_up
     FROM wallet.balances w WHERE account_id = $1`,
    [accountId],
  );
  return rows[0]!;
}

export const costOf = (rates: UnitRate[], inputTokens: number, outputTokens: number, usdPerUnit = UNITY) =>
  charge(rates, countsOf({ inputTokens, outputTokens }), usdPerUnit).costPicos;

/** Within which a change of models and upstreams is in force. */
export const IN_FORCE_MILLIS = 2_000;

/** A sandbox engine and a gateway with a separate database. */
export class TestSite {
  private constructor(
    readonly database: TestDatabase,
    readonly engine: SandboxEngine,
    readonly gateway: Gateway,
  ) {}

  static async start(
    models: Record<string, UnitRate[]>,
    environment: Environment = {},
    upstreams: (engineUrl: string) => unknown[] = (base_url) => [{ name: 'engine', base_url }],
  ): Promise<TestSite> {
    const [database, engine] = await Promise.all([
      createTestDatabase(ENTITIES),
      startSandboxEngine({ port: 0 }),
    ]);
    await publish(database.pool, models);
    const gateway = await startGateway({
      ...testEnvironment(database.urlFor('gateway'), upstreams(`${engine.url}/v1`)),
      ...environment,
    });
    return new TestSite(database, engine, gateway);
  }

  get pool(): TestPool {
    return this.database.pool;
  }

  account(balancePicos = PLENTY): Promise<TestAccount> {
    return insertAccount(this.pool, { balancePicos });
  }

  /** Publishes what an upstream takes, and waits until it is in force. Returns the id of the list. */
  async publishCostPrices(
    upstream: string,
    prices: [model: string, unit: string, ratePicos: number][],
  ): Promise<string> {
    const { rows } = await this.pool.query<{ id: bigint }>(
      `WITH list AS (INSERT INTO pricing.cost_price_lists (upstream_id) SELECT id FROM serving.upstreams WHERE name = $1 RETURNING id),
       prices AS (
         INSERT INTO pricing.cost_prices (cost_price_list_id, position, model, unit, rate_picos)
         SELECT list.id, position, model, unit, rate
         FROM list, unnest($2::text[], $3::text[], $4::numeric[]) WITH ORDINALITY AS row (model, unit, rate, position))
       SELECT id FROM list`,
      [
        upstream,
        prices.map(([model]) => model),
        prices.map(([, unit]) => unit),
        prices.map(([, , rate]) => rate),
      ],
    );
    await this.pool.query("SELECT pg_notify('serving', '')");
    const directory = this.gateway.app.get(ServingDirectory);
    const listId = String(rows[0]!.id);
    const listOf = () =>
      directory.upstreams.find(({ name }) => name === upstream)!.costPricesOf(prices[0]![0])?.listId;
    await waitFor(() => Promise.resolve(listOf() === listId), IN_FORCE_MILLIS);
    return listId;
  }

  /** Waits for the only event of the account and returns it. */
  async onlyEvent({ accountId }: TestAccount): Promise<StoredEvent> {
    const events = await waitFor(async () => {
      const found = await eventsOf(this.pool, accountId);
      return found.length > 0 && found;
    });
    expect(events).toHaveLength(1);
    return events[0]!;
  }

  /** Asserts that events, rollup and debits of the account equal this cost, and that the ledger is consistent. */
  async expectCharged({ accountId }: TestAccount, costPicos: bigint, openingPicos = PLENTY): Promise<void> {
    const wallet = await walletOf(this.pool, accountId);
    const events = await eventsOf(this.pool, accountId);
    expect(events.reduce((sum, event) => sum + event.cost_picos, 0n)).toBe(costPicos);
    expect(wallet.rolled_up).toBe(costPicos);
    expect(wallet.balance).toBe(openingPicos - costPicos);
    expect(wallet.leases).toBe(wallet.leased);
    expect(await reconcile(this.pool)).toEqual([]);
  }

  /** What calls of the account cost that nobody is charged for. Resolves when there are as many as expected: they are written in the background. */
  unchargedCosts({ accountId }: TestAccount, count = 1): Promise<bigint[]> {
    return waitFor(async () => {
      const { rows } = await this.pool.query<{ cost: bigint }>(
        'SELECT cost_picos::bigint AS cost FROM metering.uncharged_costs WHERE account_id = $1 ORDER BY cost_picos',
        [accountId],
      );
      return rows.length >= count && rows.map(({ cost }) => cost);
    });
  }

  post(path: string, apiKey: string, body: unknown, init: RequestInit = {}): Promise<Response> {
    return fetch(this.gateway.url + path, {
      method: 'POST',
      ...init,
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}`, ...init.headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  async stop(): Promise<void> {
    await this.gateway.close();
    await this.engine.close();
    await this.database.drop();
  }
}

export interface ScriptedUpstream {
  /** The OpenAI base URL. */
  url: string;
  /** Bodies of the received requests. */
  bodies: string[];
  /** Headers of the received requests. */
  headers: IncomingMessage['headers'][];
  close(): Promise<void>;
}

/** Starts a model server with answers of the test, for answers that the sandbox engine cannot give. */
export async function startUpstream(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<ScriptedUpstream> {
  const bodies: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    // Whether it is alive.
    if (request.method === 'GET') return void response.end('{"data":[]}');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      bodies.push(body);
      headers.push(request.headers);
      answer(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    bodies,
    headers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export interface DatabaseProxy {
  /** URL of the database through the proxy. */
  url: string;
  /** Closes the connection of the next response instead of forwarding it: the statement runs, but its result is lost. */
  disconnectAtNextResponse(): void;
  disconnects(): number;
  /** Closes all connections, and refuses new ones until `up`. */
  down(): void;
  up(): void;
  /** Keeps connections open but drops all data, until `endBlackhole` closes the connections. */
  blackhole(): void;
  endBlackhole(): void;
  /** Number of connections refused while the proxy was down. */
  refusals(): number;
  close(): Promise<void>;
}

/** Starts a TCP proxy to the database that simulates network failures. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const state = { armed: false, cuts: 0, isDown: false, isFrozen: false, refusals: 0 };
  const forward = (bytes: Buffer, to: Socket) => (state.isFrozen ? undefined : to.write(bytes));
  const server = createTcpServer((near) => {
    near.on('error', () => undefined);
    if (state.isDown) {
      state.refusals++;
      near.destroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    far.on('error', () => undefined);
    near.on('data', (bytes) => forward(bytes, far)).on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    far.on('data', (bytes) => {
      if (!state.armed) return forward(bytes, near);
      state.armed = false;
      state.cuts++;
      return near.destroy();
    });
    sockets.add(near);
    near.on('close', () => sockets.delete(near));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    disconnectAtNextResponse: () => void (state.armed = true),
    disconnects: () => state.cuts,
    down: () => {
      state.isDown = true;
      for (const socket of sockets) socket.destroy();
    },
    up: () => void (state.isDown = false),
    blackhole: () => void (state.isFrozen = true),
    endBlackhole: () => {
      state.isFrozen = false;
      // The dropped data is lost, so the connections cannot continue.
      for (const socket of sockets) socket.destroy();
    },
    refusals: () => state.refusals,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
