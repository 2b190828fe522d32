import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { consoleEnvironment, newCredentials } from '@inference/sandbox-payments';
import { testLog, waitFor } from '@inference/testing';
import { Client } from 'pg';
import { Container } from '../../../../images/container.mjs';
import { APPS, type Environment } from '../../deployment/app-config';
import { environmentOf, generatedVariables, services } from '../../deployment/compose-file';
import { readServers } from '../../site/haproxy-socket';
import { ROOT } from '../../site/service-process';
import { HostNetwork } from '../host-network';
import { ImageHost } from '../image-host';
import { DATABASE_HOSTS, DatabaseCluster } from './database-cluster';
import { ServerProcess } from './server-process';

const SERVERS = ['proxy', 'redis', 'engine', ...DATABASE_HOSTS];
const REPLICAS = [1, 2];
const PAYMENTS_PORT = 3092;
const UP_MILLIS = 60_000;
const IMAGE_USER = 1000;
const MODEL = 'sandbox-chat';
/** More than HAProxy needs to see that a replica is not healthy. */
const SHUTDOWN_DELAY_SECONDS = '5';
/** As docker/haproxy/haproxy.cfg has them. */
const PROXY_PORTS: Record<string, number> = {
  console: 3000,
  training: 3001,
  'router-cost': 3002,
  agent: 3003,
  memo: 3004,
  'agent-environments': 3005,
  gateway: 3006,
};

/** Lets a port of this host lead to another one, as a tunnel would. */
const FORWARDER = `
  const { createServer, connect } = require('node:net');
  const [port, host] = process.argv.slice(1);
  createServer((from) => {
    const to = connect(port, host);
    for (const [socket, other] of [[from, to], [to, from]]) socket.on('error', () => other.destroy()).pipe(other);
  }).listen(port, '127.0.0.1');
`;

/**
 * A site without a single point of failure but the proxy: two replicas of each service from its image, each on a host of its own,
 * behind HAProxy, and PostgreSQL on three hosts.
 */
export class ReplicatedSite {
  readonly network = new HostNetwork([
    ...SERVERS,
    ...APPS.flatMap((app) => REPLICAS.map((number) => `${app}-${number}`)),
  ]);
  readonly variables: Environment;
  readonly database: DatabaseCluster;
  readonly redis: ServerProcess;
  private readonly payments = newCredentials('intl');
  private readonly proxy: ServerProcess;
  private readonly containers: Container[] = [];
  private readonly replicas = new Map<string, ImageHost>();
  private readonly helpers: ChildProcess[] = [];
  private readonly storage = mkdtempSync(join(tmpdir(), 'replicated-storage-'));

  /** @param root of the hosts that are not the product's */
  constructor(
    root: string,
    private readonly imageOf: (app: string) => string,
  ) {
    this.variables = {
      ...generatedVariables(),
      ...consoleEnvironment(this.payments, `http://127.0.0.1:${PAYMENTS_PORT}`),
      UPSTREAMS: JSON.stringify([{ name: 'engine', base_url: 'http://engine:8000/v1' }]),
      DEFAULT_MODEL: MODEL,
      CHAT_MODEL: MODEL,
      TRUST_PROXY: '1',
      // Its admin signs in by a script.
      STAFF_2FA: 'optional',
      SHUTDOWN_DELAY_SECONDS,
    };
    const { network } = this;
    this.database = new DatabaseCluster(root, network, this.variables.POSTGRES_PASSWORD!);
    const [redis = '', ...options] = services.redis!.command!;
    this.redis = new ServerProcess(root, network, network.hosts.get('redis')!, {
      name: 'redis',
      command: [redis, ...options, '--protected-mode', 'no'],
    });
    this.proxy = new ServerProcess(root, network, network.hosts.get('proxy')!, {
      name: 'haproxy',
      command: ['haproxy', '-W', '-f', '/run/haproxy.cfg'],
      files: [join(ROOT, 'docker/haproxy/haproxy.cfg')],
    });
  }

  /** Where customers reach a service. */
  url(app: string): string {
    return `http://${this.network.hosts.get('proxy')!.address}:${PROXY_PORTS[app]}`;
  }

  replica(name: string): ImageHost {
    return this.replicas.get(name)!;
  }

  /** One of the replicas. */
  service(app: string): ImageHost {
    return this.replica(`${app}-1`);
  }

  replicaNames(): string[] {
    return [...this.replicas.keys()];
  }

  get paymentsUrl(): string {
    return `http://${this.network.hosts.get('engine')!.address}:${PAYMENTS_PORT}`;
  }

  /** Connection string of the owner of the site's database, whichever host is its primary. */
  get databaseUrl(): string {
    const { address } = this.network.hosts.get('proxy')!;
    return `postgres://postgres:${this.variables.POSTGRES_PASSWORD}@${address}:5432/platform`;
  }

  async start(): Promise<void> {
    chownSync(this.storage, IMAGE_USER, IMAGE_USER);
    this.network.create();
    this.network.set('proxy', 'net.ipv4.tcp_retries2', 5);
    this.startHelpers();
    this.redis.start();
    this.proxy.start();
    await this.database.start();
    await this.createDatabase();
    for (const app of APPS) this.addReplicas(app);
    const { command = [] } = services.migrate!;
    const environment = this.atProxy(environmentOf(services.migrate!, this.variables));
    const { code, output } = await this.service('console').runCommand(command, environment);
    if (code !== 0) throw new Error(`The database was not migrated:\n${output}`);
    // One machine that starts all hosts at once is too busy to answer.
    for (const app of APPS)
      await Promise.all(REPLICAS.map((number) => this.replica(`${app}-${number}`).start()));
    await this.untilProxied(this.replicaNames());
  }

  /** Resolves when HAProxy sends requests to these replicas. */
  async untilProxied(names: string[]): Promise<void> {
    await waitFor(async () => {
      const servers = await readServers(this.proxy.runFile('haproxy.sock'));
      return names.every((name) => servers.get(name)?.status === 'UP');
    }, UP_MILLIS);
  }

  /** Ends and removes everything, also after a start that has failed in the middle. Rejects with the first failure. */
  async stop(): Promise<void> {
    for (const helper of this.helpers) helper.kill('SIGKILL');
    const removals = [
      () => Promise.all([...this.replicas.values()].map((replica) => replica.kill())),
      () => Promise.all([this.proxy, this.redis, this.database].map((server) => server.remove())),
      () => this.containers.forEach((container) => container.remove()),
      () => this.network.remove(),
      () => rmSync(this.storage, { recursive: true, force: true }),
    ];
    const failures: unknown[] = [];
    for (const remove of removals) {
      try {
        await remove();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  private addReplicas(app: string): void {
    const container = new Container(this.imageOf(app));
    this.containers.push(container);
    const environment = this.atProxy(environmentOf(services[app]!, this.variables));
    for (const number of REPLICAS) {
      const name = `${app}-${number}`;
      const start = { network: this.network, host: this.network.hosts.get(name)!, environment };
      const mounts: [string, string][] = app === 'console' ? [[this.storage, '/platform/storage']] : [];
      this.replicas.set(name, new ImageHost(container, { ...start, mounts }));
    }
  }

  /** compose.yaml names the services of one host; here all of them are reached at the proxy. */
  private atProxy(environment: Environment): Environment {
    const text = JSON.stringify(environment)
      .replaceAll(/http:\/\/([a-z-]+):3000/g, (url, app: string) =>
        PROXY_PORTS[app] ? `http://proxy:${PROXY_PORTS[app]}` : url,
      )
      .replaceAll(/http:\/\/localhost:(\d+)/g, 'http://proxy:$1')
      .replaceAll('@postgres:5432/', '@proxy:5432/');
    return JSON.parse(text) as Environment;
  }

  private async createDatabase(): Promise<void> {
    await waitFor(async () => {
      const admin = new Client({ connectionString: this.databaseUrl.replace(/platform$/, 'postgres') });
      admin.on('error', () => undefined);
      await admin.connect();
      await admin.query('CREATE DATABASE platform');
      await admin.end();
      return true;
    });
  }

  /** The sandboxes of the model server and of the payment provider, which the consoles reach as if it were on their own hosts. */
  private startHelpers(): void {
    const script = (name: string) => join(ROOT, `dist/tools/${name}/src/main.js`);
    this.startHelper('engine', [script('sandbox-engine'), '--host', '0.0.0.0', '--port', '8000']);
    this.startHelper('engine', [script('sandbox-payments')], {
      SANDBOX_PAYMENTS_HOST: '0.0.0.0',
      SANDBOX_PAYMENTS_PARTIES: JSON.stringify(this.payments.accounts),
      SANDBOX_PAYMENTS_MERCHANT: this.url('console'),
    });
    const { address } = this.network.hosts.get('engine')!;
    for (const number of REPLICAS)
      this.startHelper(`console-${number}`, ['-e', FORWARDER, String(PAYMENTS_PORT), address]);
  }

  private startHelper(name: string, args: string[], environment: Environment = {}): void {
    const { namespace } = this.network.hosts.get(name)!;
    const helper = spawn('ip', ['netns', 'exec', namespace, process.execPath, ...args], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const log = testLog(`host-${name}`);
    for (const stream of [helper.stdout, helper.stderr])
      stream.on('data', (chunk: Buffer) => log.write(chunk));
    this.helpers.push(helper);
  }
}
