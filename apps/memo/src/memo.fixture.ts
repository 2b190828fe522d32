import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type DynamicModule } from '@nestjs/common';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { type Role } from '@inference/guards';
import { createService } from '@inference/http';
import { type SandboxEngine, startSandboxEngine } from '@inference/sandbox-engine';
import {
  type Answer,
  createTestDatabase,
  type Environment,
  holdToContract,
  insertAccount,
  type Issuer,
  publishPrices,
  rememberAnswer,
  rememberEnvironment,
  rememberSecret,
  sendRequest,
  serviceEnvironment,
  startGateway,
  startIssuer,
  type TestDatabase,
  type TestGateway,
  testLog,
  type TestPool,
  waitFor,
} from '@inference/testing';
import { ENTITIES } from './entities';
import { AppModule } from './app.module';
import { readMemoConfig } from './config';
import { type WorkspaceRole } from './tables/workspace.entity';
import { type DocumentResponse } from './documents/document.dto';
import { JSON_UPLOAD_THREAD_FILE } from './documents/uploads/json-upload-parser';
import { SERVICE_OPTIONS } from './service-options';
import { type InvitationResponse } from './workspaces/invitations/invitation.dto';

/** The build. Child processes cannot run TypeScript. */
const BUILT = join(__dirname, '../../../dist/apps/memo/src');
/** Ends the process when the test process ends, however it ends. */
const PRELOAD = join(__dirname, '../../../tools/launcher/processes/stop-with-parent.mjs');
/**
 * Workers lower their priority. Beside other test files they would starve, and tests that wait for them would depend on the speed
 * of the machine.
 */
const KEEP_PRIORITY = `data:text/javascript,import os from 'node:os'; os.setPriority = () => undefined;`;
const JSON_UPLOAD_THREAD = join(BUILT, 'documents/uploads/json-upload.thread.js');
/** Tests run the service from TypeScript, but threads from the build. */
const BUILT_THREADS: DynamicModule = {
  module: class BuiltThreads {},
  global: true,
  providers: [{ provide: JSON_UPLOAD_THREAD_FILE, useValue: JSON_UPLOAD_THREAD }],
  exports: [JSON_UPLOAD_THREAD_FILE],
};
const WORKSPACES = '/v1/workspaces';
const INVITATIONS = '/v1/invitations';
const CREDENTIAL = randomBytes(24).toString('hex');
/** Price of a token in the tests. */
const RATE_PICOS = 1_000_000n;
const PLENTY = 10n ** 15n;

export interface MemoReplica {
  app: NestExpressApplication;
  url: string;
  close(): Promise<void>;
}

export interface SiteOptions {
  /** Models that are published with a price, behind a real gateway. */
  models?: string[];
  /** Model servers that are tried before the sandbox engine. */
  upstreams?: { name: string; base_url: string; models: string[] }[];
  environment?: Environment;
}

interface Models {
  engine: SandboxEngine;
  gateway: TestGateway;
}

/** The memo service with a database of its own. */
export class MemoSite {
  readonly replicas: MemoReplica[] = [];
  private readonly workers: ChildProcess[] = [];

  private constructor(
    readonly database: TestDatabase,
    private readonly issuer: Issuer,
    private readonly models: Models | null,
    private readonly environment: Environment,
  ) {}

  static async start({ models, upstreams = [], environment = {} }: SiteOptions = {}): Promise<MemoSite> {
    const [database, issuer] = await Promise.all([createTestDatabase(ENTITIES), startIssuer()]);
    const site = new MemoSite(
      database,
      issuer,
      models ? await startModels(database, models, upstreams) : null,
      environment,
    );
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

  /** The first replica. */
  get app(): NestExpressApplication {
    return this.replicas[0]!.app;
  }

  get engine(): SandboxEngine {
    if (!this.models) throw new Error('This site was started without models.');
    return this.models.engine;
  }

  async startReplica(own: Environment = {}): Promise<MemoReplica> {
    const environment = this.environmentOf(own);
    rememberEnvironment(environment);
    const config = readMemoConfig(environment);
    const service = AppModule.forRoot(config);
    const module = { ...service, imports: [BUILT_THREADS, ...service.imports!] };
    const app = await createService(module, config, {
      ...SERVICE_OPTIONS,
      logTo: testLog('memo'),
    });
    holdToContract(app, 'memo');
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    let closed: Promise<void> | undefined;
    const replica = { app, url: `http://127.0.0.1:${port}`, close: () => (closed ??= app.close()) };
    this.replicas.push(replica);
    return replica;
  }

  private environmentOf(own: Environment): Environment {
    return {
      ...serviceEnvironment(this.database.urlFor('memo')),
      CONSOLE_URL: this.issuer.url,
      GATEWAY_URL: this.models?.gateway.url ?? 'http://127.0.0.1:9',
      GATEWAY_CREDENTIAL: CREDENTIAL,
      INGESTION_WORKERS: '0',
      SHUTDOWN_GRACE_SECONDS: '0',
      ...this.environment,
      ...own,
    };
  }

  /** Starts a worker process, as the service does. */
  startIngestion(own: Environment = {}, args: string[] = []): ChildProcess {
    return this.fork('ingestion/main.js', this.environmentOf(own), args, ['--import', KEEP_PRIORITY]);
  }

  /** Starts the service as a process, which starts its workers. */
  startService(own: Environment): ChildProcess {
    const environment = { ...this.environmentOf(own), LAUNCHED_BY: String(process.pid) };
    return this.fork('main.js', environment, [], ['--import', PRELOAD]);
  }

  private fork(
    file: string,
    environment: Environment,
    args: string[],
    execArgv: string[] = [],
  ): ChildProcess {
    const env = { PATH: process.env.PATH, ...environment };
    const child = fork(join(BUILT, file), args, { env, execArgv, silent: true });
    const log = testLog('memo-process');
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => log.write(chunk));
    this.workers.push(child);
    return child;
  }

  /** Creates an account with a session. Its address is confirmed. Null as second factor: the session has shown none. */
  async person(
    balancePicos = PLENTY,
    { role = 'user', secondFactor = 'totp' }: { role?: Role; secondFactor?: 'totp' | null } = {},
  ): Promise<Person> {
    const { accountId } = await insertAccount(this.pool, { balancePicos, role });
    await this.pool.query('UPDATE accounts.accounts SET email_verified_at = now() WHERE id = $1', [
      accountId,
    ]);
    const { token } = await this.issuer.signIn(this.pool, accountId, { secondFactor });
    rememberSecret(token);
    return new Person(this.url, { Authorization: `Bearer ${token}` }, accountId);
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.close()));
    await Promise.all(this.workers.map(endWorker));
    this.models?.gateway.child.kill('SIGKILL');
    await this.models?.engine.close();
    await this.issuer.close();
    await this.database.drop();
  }
}

async function endWorker(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const ended = once(worker, 'exit');
  worker.disconnect();
  await ended;
}

async function startModels(database: TestDatabase, models: string[], upstreams: object[]): Promise<Models> {
  const engine = await startSandboxEngine({ port: 0 });
  const prices = models.map((slug) => ({ slug, unit: 'per_million_tokens' as const, ratePicos: RATE_PICOS }));
  await publishPrices(database.pool, prices);
  const servers = [...upstreams, { name: 'engine', base_url: `${engine.url}/v1` }];
  return { engine, gateway: await startGateway(database, servers, { MEMO_CREDENTIALS: CREDENTIAL }) };
}

/** A form, or JSON. A text is sent as it is. */
async function encoded(body: unknown): Promise<{ type: string; content: string | Buffer }> {
  if (!(body instanceof FormData))
    return { type: 'application/json', content: typeof body === 'string' ? body : JSON.stringify(body) };
  const form = new Response(body);
  return { type: form.headers.get('content-type')!, content: Buffer.from(await form.arrayBuffer()) };
}

/** A client of the memo service with a session or a key. */
export class Person {
  constructor(
    private readonly url: string,
    private readonly credential: Record<string, string>,
    readonly accountId: string,
    private readonly base = WORKSPACES,
  ) {}

  get email(): string {
    return `${this.accountId.toLowerCase()}@example.com`;
  }

  get authorization(): string {
    return this.credential.Authorization ?? '';
  }

  /** A client of another replica with the same credential. */
  at(url: string): Person {
    return new Person(url, this.credential, this.accountId);
  }

  /** A client whose paths are below the received invitations instead of the workspaces. */
  get received(): Person {
    return new Person(this.url, this.credential, this.accountId, INVITATIONS);
  }

  withKey(key: string): Person {
    return new Person(this.url, { 'X-API-Key': key }, this.accountId);
  }

  /** The response as it arrives, for streams. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const { content, ...sent } = await this.request(body, headers);
    return fetch(this.url + this.base + path, {
      method,
      ...sent,
      ...(content !== undefined && { body: content }),
    });
  }

  /** The body of a response that must have the expected status. */
  async json<T>(method: string, path: string, body?: unknown, status = 200): Promise<T> {
    const answer = await this.send(method, path, body);
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    rememberAnswer(answer.headers, answer.body);
    return answer.body as T;
  }

  /** Status and error message of a refusal. */
  async refusal(method: string, path: string, body?: unknown): Promise<[number, string]> {
    const answer = await this.send(method, path, body);
    return [answer.status, (answer.body as { error: string }).error];
  }

  private async send(method: string, path: string, body: unknown): Promise<Answer> {
    return sendRequest(this.url, method, this.base + path, await this.request(body));
  }

  private async request(body: unknown, headers: Record<string, string> = {}) {
    if (body === undefined) return { headers: { ...this.credential, ...headers } };
    const { type, content } = await encoded(body);
    return { headers: { ...this.credential, 'Content-Type': type, ...headers }, content };
  }

  /** Invites the other person to a workspace, and accepts in its name. */
  async addMember(workspaceId: string, other: Person, role: WorkspaceRole): Promise<void> {
    const path = `/${workspaceId}/invitations`;
    const { id } = await this.json<InvitationResponse>('POST', path, { email: other.email, role }, 201);
    await other.received.json('POST', `/${id}/accept`);
  }

  async newWorkspace(name = 'Handbook'): Promise<string> {
    return (await this.json<{ id: string }>('POST', '', { name }, 201)).id;
  }

  /** Uploads a document and waits until it is `ready` or `failed`. */
  async addDocument(workspaceId: string, body: object | FormData): Promise<DocumentResponse> {
    const { id } = await this.json<DocumentResponse>('POST', `/${workspaceId}/documents`, body, 201);
    return this.finished(workspaceId, id);
  }

  finished(workspaceId: string, id: string): Promise<DocumentResponse> {
    return waitFor(async () => {
      const document = await this.json<DocumentResponse>('GET', `/${workspaceId}/documents/${id}`);
      return (document.status === 'ready' || document.status === 'failed') && document;
    });
  }
}
