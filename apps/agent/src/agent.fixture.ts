import { randomBytes } from 'node:crypto';
import { type AddressInfo } from 'node:net';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { type SqlPool } from '@inference/database';
import { createService } from '@inference/http';
import { startSandboxEngine, type SandboxEngine } from '@inference/sandbox-engine';
import {
  createTestDatabase,
  type Environment,
  insertAccount,
  publishPrices,
  rememberEnvironment,
  serviceEnvironment,
  startGateway,
  type TestAccount,
  type TestDatabase,
  type TestGateway,
  testLog,
} from '@inference/testing';
import { createParser } from 'eventsource-parser';
import { AppModule } from './app.module';
import { readAgentConfig } from './config';
import { type EventView } from './events/event';
import { SERVICE_OPTIONS } from './service-options';

const CREDENTIAL = randomBytes(24).toString('hex');
/** What a token costs in the tests. */
const RATE_PICOS = 1_000_000n;
export const PLENTY = 10n ** 15n;

export interface AgentReplica {
  app: NestExpressApplication;
  url: string;
  close(): Promise<void>;
}

export interface SiteOptions {
  /** Published beside sandbox-chat; the engine's behaviours are suffixes of its name. */
  models?: string[];
  /** Model servers that are asked before the sandbox engine. */
  upstreams?: { name: string; base_url: string; models: string[] }[];
  environment?: Environment;
}

/** A frame as a client reads it. */
export interface ReadFrame {
  event: string;
  id: string | undefined;
  data: Record<string, unknown>;
}

/** The agent, a real gateway behind it, and the sandbox engine behind that, on a database of their own. */
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
    const [database, engine] = await Promise.all([createTestDatabase(), startSandboxEngine({ port: 0 })]);
    const prices = ['sandbox-chat', ...models].map((slug) => ({ slug, unit: 'per_million_tokens' as const }));
    await publishPrices(
      database.pool,
      prices.map((price) => ({ ...price, ratePicos: RATE_PICOS })),
    );
    const servers = [...upstreams, { name: 'engine', base_url: `${engine.url}/v1` }];
    const gateway = await startGateway(database, servers, { AGENT_CREDENTIALS: CREDENTIAL });
    const site = new AgentSite(database, engine, gateway, environment);
    await site.startReplica();
    return site;
  }

  get pool(): SqlPool {
    return this.database.pool;
  }

  /** The first replica's. */
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
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    let closed: Promise<void> | undefined;
    const replica = { app, url: `http://127.0.0.1:${port}`, close: () => (closed ??= app.close()) };
    this.replicas.push(replica);
    return replica;
  }

  account(balancePicos = PLENTY): Promise<TestAccount> {
    return insertAccount(this.pool, { balancePicos });
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.close()));
    this.gateway.child.kill('SIGKILL');
    await this.engine.close();
    await this.database.drop();
  }
}

/** A customer of the agent service, at one of its replicas. */
export class Customer {
  constructor(
    private readonly url: string,
    private readonly apiKey: string,
  ) {}

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(`${this.url}/v1/agents/sessions${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.apiKey}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }

  /** The body of an answer with the expected status. */
  async json<T>(method: string, path: string, body?: unknown, status = 200, headers = {}): Promise<T> {
    const response = await this.call(method, path, body, headers);
    const text = await response.text();
    if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text ? JSON.parse(text) : undefined) as T;
  }

  /** Posts a message and reads its stream to the end. */
  async say(sessionId: string, content: string, query = '', headers = {}): Promise<ReadFrame[]> {
    return readFrames(
      await this.call('POST', `/${sessionId}/events/stream${query}`, { role: 'user', content }, headers),
    );
  }

  async events(sessionId: string): Promise<EventView[]> {
    const all: EventView[] = [];
    for (let more = true; more;) {
      const path = `/${sessionId}/events?limit=100&after=${all.at(-1)?.seq ?? 0}`;
      const page = await this.json<{ events: EventView[]; has_more: boolean }>('GET', path);
      all.push(...page.events);
      more = page.has_more;
    }
    return all;
  }
}

/** All frames of a stream that ends. */
export async function readFrames(response: Response): Promise<ReadFrame[]> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  const frames: ReadFrame[] = [];
  const parser = createParser({
    onEvent: ({ event = '', id, data }) =>
      frames.push({ event, id, data: JSON.parse(data) as ReadFrame['data'] }),
  });
  parser.feed(text);
  return frames;
}

export const textOf = (frames: ReadFrame[]) =>
  frames.flatMap(({ event, data }) => (event === 'delta' ? [data.content as string] : [])).join('');
