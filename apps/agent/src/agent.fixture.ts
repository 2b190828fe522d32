import { randomBytes } from 'node:crypto';
import { type AddressInfo } from 'node:net';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { createService } from '@inference/http';
import { startSandboxEngine, type SandboxEngine } from '@inference/sandbox-engine';
import {
  createTestDatabase,
  type Environment,
  holdToContract,
  insertAccount,
  publishPrices,
  rememberEnvironment,
  sendRequest,
  serviceEnvironment,
  startGateway,
  type TestAccount,
  type TestDatabase,
  type TestGateway,
  testLog,
  type TestPool,
} from '@inference/testing';
import { createParser } from 'eventsource-parser';
import { ENTITIES } from './entities';
import { AppModule } from './app.module';
import { readAgentConfig } from './config';
import { type EventResponse } from './events/event.response';
import { SERVICE_OPTIONS } from './service-options';

const BASE = '/v1/agents/sessions';
const CREDENTIAL = randomBytes(24).toString('hex');
/** Of the console at the agent service; both are valid. */
export const CONSOLE_CREDENTIALS = [randomBytes(24).toString('hex'), randomBytes(24).toString('hex')];
/** Price of a token in the tests. */
const TOKEN_PRICE_PICOS = 1_000_000n;
const LARGE_BALANCE_PICOS = 10n ** 15n;

export interface AgentReplica {
  app: NestExpressApplication;
  url: string;
  close(): Promise<void>;
}

export interface SiteOptions {
  /** Models beside sandbox-chat. The sandbox engine reads the behaviour of a model from the suffixes of its name. */
  models?: string[];
  /** Model servers that are asked before the sandbox engine. */
  upstreams?: { name: string; base_url: string; models: string[] }[];
  environment?: Environment;
}

/** A stream event as a client receives it. */
export interface ReceivedEvent {
  event: string;
  id: string | undefined;
  data: Record<string, unknown>;
}

/** The agent service with a real gateway, the sandbox engine and a database of their own. */
export class AgentSite {
  readonly replicas: AgentReplica[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly engine: SandboxEngine,
    private readonly gateway: TestGateway,
    private readonly environment: Environment,
  ) {}

  static async start({
    models = [],
    upstreams = [],
    environment = {},
  }: SiteOptions = {}): Promise<AgentSite> {
    const [database, engine] = await Promise.all([
      createTestDatabase(ENTITIES),
      startSandboxEngine({ port: 0 }),
    ]);
    const prices = ['sandbox-chat', ...models].map((slug) => ({ slug, unit: 'per_million_tokens' as const }));
    await publishPrices(
      database.pool,
      prices.map((price) => ({ ...price, ratePicos: TOKEN_PRICE_PICOS })),
    );
    const servers = [...upstreams, { name: 'engine', base_url: `${engine.url}/v1` }];
    const gateway = await startGateway(database, servers, { AGENT_CREDENTIALS: CREDENTIAL });
    const site = new AgentSite(database, engine, gateway, environment);
    await site.startReplica();
    return site;
  }

  get pool(): TestPool {
    return this.database.pool;
  }

  /** URL of the first replica. */
  get url(): string {
    return this.replicas[0]!.url;
  }

  get gatewayUrl(): string {
    return this.gateway.url;
  }

  async startReplica(own: Environment = {}): Promise<AgentReplica> {
    const environment = {
      ...serviceEnvironment(this.database.urlFor('agent')),
      GATEWAY_URL: this.gateway.url,
      GATEWAY_CREDENTIAL: CREDENTIAL,
      CONSOLE_CREDENTIALS: CONSOLE_CREDENTIALS.join(','),
      DEFAULT_MODEL: 'sandbox-chat',
      SHUTDOWN_GRACE_SECONDS: '0',
      ...this.environment,
      ...own,
    };
    rememberEnvironment(environment);
    const config = readAgentConfig(environment);
    const app = await createService(AppModule.forRoot(config), config, {
      ...SERVICE_OPTIONS,
      logTo: testLog('agent'),
    });
    holdToContract(app, 'agent');
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    let closed: Promise<void> | undefined;
    const replica = { app, url: `http://127.0.0.1:${port}`, close: () => (closed ??= app.close()) };
    this.replicas.push(replica);
    return replica;
  }

  account(balancePicos = LARGE_BALANCE_PICOS): Promise<TestAccount> {
    return insertAccount(this.pool, { balancePicos });
  }

  /** Returns the internal id of a session. No two accounts of the test may use its id. */
  async internalIdOf(publicId: string): Promise<string> {
    const query = 'SELECT id FROM agent.sessions WHERE public_id = $1';
    const { rows } = await this.pool.query<{ id: string }>(query, [publicId]);
    if (rows.length !== 1) throw new Error(`${rows.length} sessions have the id ${publicId}.`);
    return rows[0]!.id;
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.close()));
    this.gateway.child.kill('SIGKILL');
    await this.engine.close();
    await this.database.drop();
  }
}

/** A client of one replica, with the API key of an account. */
export class Customer {
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
  ) {}

  /** The response as it arrives, for streams. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const { content, ...sent } = this.request(body, headers);
    return fetch(this.url + BASE + path, {
      method,
      ...sent,
      ...(content !== undefined && { body: content }),
    });
  }

  /** Returns the body of a response; throws if its status is another one. */
  async json<T>(method: string, path: string, body?: unknown, status = 200, headers = {}): Promise<T> {
    const answer = await sendRequest(this.url, method, BASE + path, this.request(body, headers));
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body as T;
  }

  private request(body: unknown, headers: Record<string, string>) {
    return {
      headers: {
        Authorization: `Bearer ${this.apiKey}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { content: typeof body === 'string' ? body : JSON.stringify(body) }),
    };
  }

  /** Posts a message and reads its stream to the end. */
  async sendMessage(sessionId: string, content: string, query = '', headers = {}): Promise<ReceivedEvent[]> {
    return readStream(
      await this.call('POST', `/${sessionId}/events/stream${query}`, { role: 'user', content }, headers),
    );
  }

  async events(sessionId: string): Promise<EventResponse[]> {
    const all: EventResponse[] = [];
    for (let more = true; more;) {
      const path = `/${sessionId}/events?limit=100&after=${all.at(-1)?.seq ?? 0}`;
      const page = await this.json<{ events: EventResponse[]; has_more: boolean }>('GET', path);
      all.push(...page.events);
      more = page.has_more;
    }
    return all;
  }
}

/** Reads a stream to its end. */
export async function readStream(response: Response): Promise<ReceivedEvent[]> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  const streamEvents: ReceivedEvent[] = [];
  const parser = createParser({
    onEvent: ({ event = '', id, data }) =>
      streamEvents.push({ event, id, data: JSON.parse(data) as ReceivedEvent['data'] }),
  });
  parser.feed(text);
  return streamEvents;
}

export const textOf = (streamEvents: ReceivedEvent[]) =>
  streamEvents.flatMap(({ event, data }) => (event === 'delta' ? [data.content as string] : [])).join('');
