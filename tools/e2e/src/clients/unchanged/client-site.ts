import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTestDatabase,
  insertAccount,
  publishPrices,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { readEvents, readLedgerTotals, runReconcile } from '../../billing/ledger-totals';
import { type ServiceProcess } from '../../site/service-process';
import { Site } from '../../site/site';
import { ChatModel, type ChatRequest, type Reply, SILENCE_MILLIS } from './chat-model';

export const MODEL = 'house-model';
/** Picos per token. */
const RATES = { input: 150_001n, output: 599_999n };
const BALANCE_PICOS = 10n ** 15n;

export interface Customer {
  accountId: string;
  apiKey: string;
  /** A home without any settings. */
  home: string;
  /** What its programs get as environment. */
  env: NodeJS.ProcessEnv;
}

/** What the model's server speaks: chat completions alone, or each protocol itself. */
export type Speaks = 'chat' | 'all';

/** A server of the model that speaks every protocol: a gateway of another site, in front of one that speaks chat completions. */
class NativeServer {
  private constructor(
    private readonly database: TestDatabase,
    private readonly site: Site,
    readonly upstream: object,
  ) {}

  static async start(model: ChatModel): Promise<NativeServer> {
    const database = await newDatabase();
    const site = new Site(database);
    const { url } = await site.startGateway(model);
    const { accountId, apiKey } = await insertAccount(database.pool, { balancePicos: BALANCE_PICOS });
    await hidePrices(database, accountId);
    const protocols = ['chat', 'responses', 'messages'];
    const upstream = { name: 'native', base_url: `${url}/v1`, api_key: apiKey, protocols };
    return new NativeServer(database, site, upstream);
  }

  async stop(): Promise<void> {
    await this.site.stop();
    await runReconcile(this.database);
    await this.database.drop();
  }
}

async function newDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await publishPrices(database.pool, [
    { slug: MODEL, unit: 'per_million_input_tokens', ratePicos: RATES.input },
    { slug: MODEL, unit: 'per_million_output_tokens', ratePicos: RATES.output },
  ]);
  return database;
}

const hidePrices = ({ pool }: TestDatabase, accountId: string) =>
  pool.query('UPDATE accounts.api_keys SET reports_cost = false WHERE account_id = $1', [accountId]);

/** A gateway in front of a model's server with scripted answers, and customers who use it with the software of others. */
export class ClientSite {
  private readonly folder = mkdtempSync(join(tmpdir(), 'unchanged-clients-'));
  private customers = 0;

  private constructor(
    private readonly database: TestDatabase,
    private readonly site: Site,
    readonly model: ChatModel,
    readonly gateway: ServiceProcess,
    private readonly native: NativeServer | undefined,
  ) {}

  static async start(reply: (request: ChatRequest) => Reply, speaks: Speaks = 'chat'): Promise<ClientSite> {
    const database = await newDatabase();
    const model = await ChatModel.start(reply);
    const native = speaks === 'all' ? await NativeServer.start(model) : undefined;
    const site = new Site(database);
    const gateway = await site.startGateway(model, {
      STREAM_KEEP_ALIVE_SECONDS: String(SILENCE_MILLIS / 4_000),
      ...(native && { UPSTREAMS: JSON.stringify([native.upstream]) }),
    });
    return new ClientSite(database, site, model, gateway, native);
  }

  /** @param tellsPrices whether answers tell their price, which a client that is strict about fields does not like */
  async customer({ tellsPrices = true, storesResponses = false } = {}): Promise<Customer> {
    this.model.takeServed();
    const { accountId, apiKey } = await insertAccount(this.database.pool, { balancePicos: BALANCE_PICOS });
    if (!tellsPrices) await hidePrices(this.database, accountId);
    if (storesResponses)
      await this.database.pool.query(
        'UPDATE accounts.accounts SET stores_responses = true, stores_responses_set_at = now() WHERE id = $1',
        [accountId],
      );
    const home = join(this.folder, `home-${(this.customers += 1)}`);
    mkdirSync(home);
    return {
      accountId,
      apiKey,
      home,
      env: { PATH: process.env.PATH, HOME: home, GATEWAY: this.gateway.url, KEY: apiKey, MODEL },
    };
  }

  /** Asserts that the customer was charged exactly what the server has served since the last time, call by call. */
  async expectChargedAsServed({ accountId }: Customer): Promise<number> {
    const served = this.model.takeServed();
    const own = async () =>
      [...(await readEvents(this.database.pool)).values()].filter((event) => event.account_id === accountId);
    await waitFor(async () => (await own()).length >= served.length);
    const events = await own();
    const inOrder = <T extends { input: bigint }>(calls: T[]) =>
      calls.sort((a, b) => Number(a.input - b.input));
    expect(
      inOrder(
        events.map((event) => ({
          input: event.input_tokens,
          output: event.output_tokens,
          cost: event.cost_picos,
          estimated: event.estimated,
        })),
      ),
    ).toEqual(
      inOrder(
        served.map(({ inputTokens: input, outputTokens: output }) => ({
          input,
          output,
          cost: input * RATES.input + output * RATES.output,
          estimated: false,
        })),
      ),
    );
    const total = events.reduce((sum, event) => sum + event.cost_picos, 0n);
    expect(await readLedgerTotals(this.database.pool, accountId)).toEqual({
      events: total,
      rollup: total,
      debits: total,
      balance: BALANCE_PICOS - total,
    });
    return served.length;
  }

  async stop(): Promise<void> {
    await this.site.stop();
    await this.native?.stop();
    await this.model.stop();
    await runReconcile(this.database);
    await this.database.drop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
