import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testLog, waitFor } from '@inference/testing';
import { consoleEnvironment, newCredentials } from '@inference/sandbox-payments';
import { Client } from 'pg';
import { Container } from '../../../images/container.mjs';
import { APPS, type Environment } from '../deployment/app-config';
import { environmentOf, generatedVariables, services } from '../deployment/compose-file';
import { type Host, HostNetwork } from './host-network';
import { ImageHost } from './image-host';
import { PostgresProcess } from '../site/postgres-process';
import { ROOT } from '../site/service-process';

/** Hosts of servers that are not the product's. */
const SERVERS = ['postgres', 'redis', 'engine'];
const PAYMENTS_PORT = 3092;
const IMAGE_USER = 1000;
const MODEL = 'sandbox-chat';

export interface SiteImages {
  /** The image of each app. */
  imageOf(app: string): string;
}

/**
 * The site of docker/compose.yaml without Docker: each service runs from its image, with the environment that the file and
 * make-env.mjs give it, on a host of its own. The sandbox of a model server is a host beside them.
 */
export class ImageSite {
  private readonly network = new HostNetwork([...SERVERS, ...APPS]);
  private readonly payments = newCredentials('intl');
  /** With these compose.yaml is read. */
  readonly variables: Environment;
  private readonly services = new Map<string, ImageHost>();
  private readonly servers: ChildProcess[] = [];
  private readonly storage = mkdtempSync(join(tmpdir(), 'image-storage-'));
  private postgres: PostgresProcess | undefined;

  constructor(private readonly images: SiteImages) {
    const publicUrls = APPS.map((app) => [publicVariable(app), `http://${this.host(app).address}:3000`]);
    this.variables = {
      ...generatedVariables(),
      ...Object.fromEntries(publicUrls),
      ...consoleEnvironment(this.payments, `http://127.0.0.1:${PAYMENTS_PORT}`),
      UPSTREAMS: JSON.stringify([{ name: 'engine', base_url: 'http://engine:8000/v1' }]),
      DEFAULT_MODEL: MODEL,
      CHAT_MODEL: MODEL,
      // With workers, the first process of the gateway's container only watches them.
      GATEWAY_WORKERS: '2',
      // Its admin signs in by a script.
      STAFF_2FA: 'optional',
    };
  }

  host(name: string): Host {
    return this.network.hosts.get(name)!;
  }

  service(app: string): ImageHost {
    return this.services.get(app)!;
  }

  /** The sandbox of payments is on the console's host: anywhere else the console would want TLS. */
  get paymentsUrl(): string {
    return `http://${this.host('console').address}:${PAYMENTS_PORT}`;
  }

  /** Connection string of the owner of the site's database. */
  get databaseUrl(): string {
    return `postgres://postgres:${this.variables.POSTGRES_PASSWORD}@${this.host('postgres').address}:5432/platform`;
  }

  /** Starts the servers, brings the database to the newest schema as compose does, then starts the services. */
  async start(): Promise<void> {
    chownSync(this.storage, IMAGE_USER, IMAGE_USER);
    this.network.create();
    await this.startServers();
    for (const app of APPS) {
      const container = new Container(this.images.imageOf(app));
      const environment = environmentOf(services[app]!, this.variables);
      const { network } = this;
      const start = { network, host: this.host(app), environment };
      this.services.set(
        app,
        new ImageHost(
          container,
          app === 'console' ? { ...start, mounts: [[this.storage, '/platform/storage']] } : start,
        ),
      );
    }
    const { command = [] } = services.migrate!;
    const environment = environmentOf(services.migrate!, this.variables);
    const { code, output } = await this.service('console').runCommand(command, environment);
    if (code !== 0) throw new Error(`The database was not migrated:\n${output}`);
    await Promise.all([...this.services.values()].map((service) => service.start()));
  }

  /** Ends and removes everything, also after a start that has failed in the middle. Rejects with the first failure. */
  async stop(): Promise<void> {
    const services = [...this.services.values()];
    const outcomes = await Promise.allSettled([
      ...services.map((service) => service.stop()),
      ...this.servers.map(async (server) => {
        const ended = once(server, 'exit');
        if (server.exitCode === null && server.kill('SIGKILL')) await ended;
      }),
    ]);
    const removals = [
      ...services.map(
        ({ container }) =>
          () =>
            container.remove(),
      ),
      () => this.postgres?.remove(),
      () => this.network.remove(),
      () => rmSync(this.storage, { recursive: true, force: true }),
    ];
    for (const remove of removals)
      outcomes.push(
        await Promise.resolve()
          .then(remove)
          .then(
            () => ({ status: 'fulfilled', value: null }) as const,
            (reason: unknown) => ({ status: 'rejected', reason }) as const,
          ),
      );
    const failed = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (failed) throw failed.reason as Error;
  }

  private async startServers(): Promise<void> {
    const password = this.variables.POSTGRES_PASSWORD!;
    const { clientRanges } = this.network;
    this.postgres = await PostgresProcess.startOn(this.host('postgres'), clientRanges, password);
    const admin = new Client({ connectionString: this.databaseUrl.replace(/platform$/, 'postgres') });
    await admin.connect();
    await admin.query('CREATE DATABASE platform');
    await admin.end();
    const [redis = '', ...options] = services.redis!.command!;
    this.startServer('redis', [redis, ...options, '--protected-mode', 'no']);
    const script = (name: string) => [process.execPath, join(ROOT, `dist/tools/${name}/src/main.js`)];
    this.startServer('engine', [...script('sandbox-engine'), '--host', '0.0.0.0', '--port', '8000']);
    this.startServer('console', script('sandbox-payments'), {
      SANDBOX_PAYMENTS_HOST: '0.0.0.0',
      SANDBOX_PAYMENTS_PARTIES: JSON.stringify(this.payments.accounts),
      SANDBOX_PAYMENTS_MERCHANT: 'http://127.0.0.1:3000',
    });
    const urls = [`http://${this.host('engine').address}:8000`, this.paymentsUrl];
    for (const url of urls) await waitFor(async () => (await fetch(`${url}/healthz`)).ok);
  }

  private startServer(name: string, command: string[], environment: Environment = {}): void {
    const server = spawn('ip', ['netns', 'exec', this.host(name).namespace, ...command], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const log = testLog(`host-${name}`);
    for (const stream of [server.stdout, server.stderr])
      stream.on('data', (chunk: Buffer) => log.write(chunk));
    this.servers.push(server);
  }
}

/** The variable of compose with the address at which customers reach a service. */
function publicVariable(app: string): string {
  const names: Record<string, string> = { 'router-cost': 'ROUTER', 'agent-environments': 'ENVIRONMENTS' };
  return `PUBLIC_${names[app] ?? app.toUpperCase()}_URL`;
}
