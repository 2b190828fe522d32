import { generateKeyPairSync } from 'node:crypto';
import { type ServiceRole, TEST_API_KEY_HASH_SECRET, type TestDatabase } from '@inference/testing';
import { findFreePort } from './ports';
import { ServiceProcess } from './service-process';

type App = 'console' | 'gateway' | 'router-cost';
type Environment = Record<string, string>;

const DATABASE_ROLES: Record<App, ServiceRole> = {
  console: 'console',
  gateway: 'gateway',
  'router-cost': 'router_cost',
};

function newSigningKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: 'e2e' };
}

export interface SiteOptions {
  site?: 'intl' | 'cn';
  /** The connection string that a service gets in place of its own one, for example through a proxy. */
  databaseUrl?(role: ServiceRole): string;
}

/** The processes of one site on one database. Whatever was started here ends with `stop`. */
export class Site {
  private readonly processes: ServiceProcess[] = [];
  private readonly signingKeys = JSON.stringify([newSigningKey()]);
  private consolePort: Promise<number> | undefined;

  constructor(
    private readonly database: Pick<TestDatabase, 'urlFor'>,
    private readonly options: SiteOptions = {},
  ) {}

  async startEngine(): Promise<ServiceProcess> {
    const port = await findFreePort();
    return this.start({
      name: 'sandbox-engine',
      entry: 'dist/tools/sandbox-engine/src/main.js',
      port,
      environment: { SANDBOX_PORT: String(port) },
    });
  }

  async startGateway(engine: ServiceProcess, environment: Environment = {}): Promise<ServiceProcess> {
    const upstreams = [{ name: 'sandbox', base_url: `${engine.url}/v1` }];
    return this.startApp('gateway', await findFreePort(), {
      UPSTREAMS: JSON.stringify(upstreams),
      ...environment,
    });
  }

  async startRouterCost(): Promise<ServiceProcess> {
    return this.startApp('router-cost', await findFreePort());
  }

  async startConsole(environment: Environment = {}): Promise<ServiceProcess> {
    const elsewhere = 'http://127.0.0.1:9';
    return this.startApp('console', await this.portOfConsole(), {
      SESSION_SIGNING_KEYS: this.signingKeys,
      GATEWAY_URL: elsewhere,
      TRAINING_URL: elsewhere,
      ROUTER_URL: elsewhere,
      AGENT_URL: elsewhere,
      MEMO_URL: elsewhere,
      RATE_LIMIT_MULTIPLIER: '1000',
      ...environment,
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((service) => service.stop()));
  }

  private portOfConsole(): Promise<number> {
    return (this.consolePort ??= findFreePort());
  }

  private async startApp(app: App, port: number, environment: Environment = {}): Promise<ServiceProcess> {
    const role = DATABASE_ROLES[app];
    const url = this.options.databaseUrl?.(role) ?? this.database.urlFor(role);
    return this.start({
      name: app,
      entry: `dist/apps/${app}/src/main.js`,
      port,
      environment: {
        SITE: this.options.site ?? 'intl',
        HOST: '127.0.0.1',
        NODE_ENV: 'test',
        LOG_LEVEL: 'error',
        DATABASE_URL: url,
        CONSOLE_URL: `http://127.0.0.1:${await this.portOfConsole()}`,
        API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
        ...environment,
      },
    });
  }

  private async start(description: ConstructorParameters<typeof ServiceProcess>[0]): Promise<ServiceProcess> {
    const service = new ServiceProcess(description);
    this.processes.push(service);
    await service.start();
    return service;
  }
}
