import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  findFreePort,
  holdProcessToContract,
  type ServiceRole,
  TEST_API_KEY_HASH_SECRET,
  TEST_UPSTREAM_ENCRYPTION_KEY,
  type TestDatabase,
} from '@inference/testing';
import { type JWTPayload, SignJWT } from 'jose';
import { type ServiceDescription, ServiceProcess } from './service-process';

/** Apps that need only their own address, the database and the console. */
type PlainApp = 'router-cost' | 'training' | 'agent' | 'memo' | 'agent-environments';
type App = 'console' | 'gateway' | PlainApp;
type Environment = Record<string, string>;

const DATABASE_ROLES: Partial<Record<App, ServiceRole>> = {
  console: 'console',
  gateway: 'gateway',
  'router-cost': 'router_cost',
  training: 'training',
  agent: 'agent',
  memo: 'memo',
};
/** An address without a listener. */
const ELSEWHERE = 'http://127.0.0.1:9';
const KID = 'e2e';

function newSigningKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: KID };
}

export interface SiteOptions {
  site?: 'intl' | 'cn';
  /** The connection string that a service gets in place of its own one, for example through a proxy. */
  databaseUrl?(role: ServiceRole): string;
  /** The address of several consoles, such as that of a proxy. Without one there is one console. */
  consoleUrl?: string;
  /** The root of the checkout whose build the services are started from, instead of this one. */
  build?: string;
}

/** The processes of one site on one database. `stop` ends all of them. */
export class Site {
  private readonly processes: ServiceProcess[] = [];
  private readonly encryptionKey = randomBytes(32).toString('hex');
  private readonly linkSecret = randomBytes(32).toString('hex');
  private readonly signingKey = newSigningKey();
  /** The credential of the agent at the gateway. */
  private readonly agentCredential = randomBytes(32).toString('hex');
  /** The credential of the memo service at the gateway. */
  private readonly memoCredential = randomBytes(32).toString('hex');
  /** The credential of the console at the gateway, the agent and the router-cost service. */
  private readonly consoleCredential = randomBytes(32).toString('hex');
  private consolePort: Promise<number> | undefined;

  constructor(
    private readonly database: Pick<TestDatabase, 'urlFor'>,
    private readonly options: SiteOptions = {},
  ) {}

  async startEngine(environment: Environment = {}): Promise<ServiceProcess> {
    const port = await findFreePort();
    return this.start({
      name: 'sandbox-engine',
      entry: 'dist/tools/sandbox-engine/src/main.js',
      port,
      environment: { SANDBOX_PORT: String(port), ...environment },
    });
  }

  async startGateway(
    engine: Pick<ServiceProcess, 'url'>,
    environment: Environment = {},
  ): Promise<ServiceProcess> {
    const upstreams = [{ name: 'sandbox', base_url: `${engine.url}/v1` }];
    return this.startApp('gateway', await findFreePort(), {
      UPSTREAMS: JSON.stringify(upstreams),
      UPSTREAM_ENCRYPTION_KEYS: TEST_UPSTREAM_ENCRYPTION_KEY,
      UPSTREAM_PRIVATE_NETWORKS: 'allowed',
      // A test may start gateways with other engines on one database.
      UPSTREAMS_APPLY: 'until_changed',
      AGENT_CREDENTIALS: this.agentCredential,
      MEMO_CREDENTIALS: this.memoCredential,
      CONSOLE_CREDENTIALS: this.consoleCredential,
      ...environment,
    });
  }

  startRouterCost(): Promise<ServiceProcess> {
    return this.startPlain('router-cost', { CONSOLE_CREDENTIALS: this.consoleCredential });
  }

  async startAgent(
    gateway: Pick<ServiceProcess, 'url'>,
    environment: Environment = {},
  ): Promise<ServiceProcess> {
    return this.startPlain('agent', { GATEWAY_URL: gateway.url, ...environment });
  }

  async startMemo(
    gateway: Pick<ServiceProcess, 'url'>,
    environment: Environment = {},
  ): Promise<ServiceProcess> {
    return this.startPlain('memo', { GATEWAY_URL: gateway.url, ...environment });
  }

  async startPlain(app: PlainApp, environment: Environment = {}): Promise<ServiceProcess> {
    const own = {
      GATEWAY_URL: ELSEWHERE,
      ...(app === 'agent' && {
        GATEWAY_CREDENTIAL: this.agentCredential,
        CONSOLE_CREDENTIALS: this.consoleCredential,
        DEFAULT_MODEL: 'sandbox-chat',
      }),
      ...(app === 'memo' && { GATEWAY_CREDENTIAL: this.memoCredential }),
    };
    return this.startApp(app, await findFreePort(), { ...own, ...environment });
  }

  /** @param port of a second console; without it the one that all services know */
  async startConsole(environment: Environment = {}, port?: number): Promise<ServiceProcess> {
    const own = this.options.consoleUrl === undefined ? this.portOfConsole() : findFreePort();
    return this.startApp('console', port ?? (await own), {
      SESSION_SIGNING_KEYS: JSON.stringify([this.signingKey]),
      ENCRYPTION_KEYS: this.encryptionKey,
      UPSTREAM_ENCRYPTION_KEYS: TEST_UPSTREAM_ENCRYPTION_KEY,
      UPSTREAM_PRIVATE_NETWORKS: 'allowed',
      DOWNLOAD_LINK_SECRETS: this.linkSecret,
      GATEWAY_URL: ELSEWHERE,
      TRAINING_URL: ELSEWHERE,
      ROUTER_URL: ELSEWHERE,
      AGENT_URL: ELSEWHERE,
      GATEWAY_CREDENTIAL: this.consoleCredential,
      AGENT_CREDENTIAL: this.consoleCredential,
      ROUTER_COST_CREDENTIAL: this.consoleCredential,
      MEMO_URL: ELSEWHERE,
      ...environment,
    });
  }

  /** Where the console is, or will be. */
  async consoleUrl(): Promise<string> {
    return this.options.consoleUrl ?? `http://127.0.0.1:${await this.portOfConsole()}`;
  }

  /** A token as the console signs them, with any claims. */
  signToken(claims: JWTPayload): Promise<string> {
    const key = createPrivateKey({ key: this.signingKey, format: 'jwk' });
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: KID, typ: 'JWT' }).sign(key);
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((service) => service.stop()));
  }

  private portOfConsole(): Promise<number> {
    return (this.consolePort ??= findFreePort());
  }

  private async startApp(app: App, port: number, environment: Environment = {}): Promise<ServiceProcess> {
    const role = DATABASE_ROLES[app];
    const database = role && {
      DATABASE_URL: this.options.databaseUrl?.(role) ?? this.database.urlFor(role),
    };
    const description = {
      name: app,
      entry: `dist/apps/${app}/src/main.js`,
      port,
      environment: {
        SITE: this.options.site ?? 'intl',
        HOST: '127.0.0.1',
        NODE_ENV: 'test',
        LOG_LEVEL: 'trace',
        ...database,
        CONSOLE_URL: await this.consoleUrl(),
        API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
        STAFF_2FA: 'optional',
        ...(app !== 'agent-environments' && { RATE_LIMIT_MULTIPLIER: '1000' }),
        ...environment,
      },
    };
    return this.start(description, this.options.build);
  }

  private async start(description: ServiceDescription, build?: string): Promise<ServiceProcess> {
    const service = new ServiceProcess(description);
    holdProcessToContract(service.url, description.name);
    this.processes.push(service);
    await service.start(build);
    return service;
  }
}
