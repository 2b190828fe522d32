import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database, type Executor, newId } from '@inference/database';
import { type Role, type SecondFactorProof } from '@inference/guards';
import { createService } from '@inference/http';
import {
  charge,
  countsOf,
  inputTokensOf,
  type MeteredUsage,
  outputTokensOf,
  type Price,
  RATE_DIGITS,
  type TokenUsage,
  type UsageOutcome,
} from '@inference/metering';
import { scaledToDecimal } from '@inference/money';
import {
  type Answer,
  createTestDatabase,
  holdToContract,
  insertAccount,
  rememberAnswer,
  rememberEnvironment,
  rememberRequest,
  sendRequest,
  TEST_API_KEY_HASH_SECRET,
  TEST_UPSTREAM_ENCRYPTION_KEY,
  type TestAccount,
  type TestDatabase,
  testLog,
} from '@inference/testing';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { readForSignIn } from '../accounts/accounts.repository';
import { AppModule } from '../app.module';
import { readConsoleConfig } from '../config';
import { ENTITIES } from '../entities';
import { SessionsService } from '../identity/sessions/sessions.service';
import { SERVICE_OPTIONS } from '../service-options';

export function newSigningKey(kid: string = randomUUID()) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    ...(privateKey.export({ format: 'jwk' }) as { x: string; y: string; d: string }),
    kty: 'EC',
    crv: 'P-256',
    kid,
  };
}

export const SIGNING_KEY = newSigningKey('test-key');
export const ENCRYPTION_KEY = randomBytes(32).toString('hex');
const ONE_USD = 10n ** BigInt(RATE_DIGITS);
const LINK_SECRET = randomBytes(32).toString('hex');
/** Shared by all replicas on one database. */
const storageFolder = (databaseUrl: string) =>
  join(tmpdir(), `console-storage-${process.pid}${new URL(databaseUrl).pathname.replace('/', '-')}`);

/** Environment of a test console. Its rate limits are so high that tests reach them only on purpose. */
export const testEnvironment = (databaseUrl: string): Record<string, string> => ({
  SITE: 'intl',
  HOST: '127.0.0.1',
  PORT: '0',
  NODE_ENV: 'test',
  LOG_LEVEL: 'trace',
  DATABASE_URL: databaseUrl,
  API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
  SESSION_SIGNING_KEYS: JSON.stringify([SIGNING_KEY]),
  ENCRYPTION_KEYS: ENCRYPTION_KEY,
  UPSTREAM_ENCRYPTION_KEYS: TEST_UPSTREAM_ENCRYPTION_KEY,
  UPSTREAM_PRIVATE_NETWORKS: 'allowed',
  // Sessions of tests are opened without a sign-in.
  STAFF_2FA: 'optional',
  CONSOLE_URL: 'http://console.test',
  GATEWAY_URL: 'http://gateway.test',
  TRAINING_URL: 'http://training.test',
  ROUTER_URL: 'http://router.test',
  AGENT_URL: 'http://agent.test',
  MEMO_URL: 'http://memo.test',
  RATE_LIMIT_MULTIPLIER: '1000',
  STORAGE_FOLDER: storageFolder(databaseUrl),
  DOWNLOAD_LINK_SECRETS: LINK_SECRET,
});

export { type Answer } from '@inference/testing';

export interface RequestOptions {
  token?: string;
  json?: unknown;
  /** Body that is sent unchanged. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
}

/** A console on its own port, on a given database. */
export class TestConsole {
  private constructor(
    readonly app: NestExpressApplication,
    readonly url: string,
  ) {}

  static async start(databaseUrl: string, environment: Record<string, string> = {}): Promise<TestConsole> {
    const wholeEnvironment = { ...testEnvironment(databaseUrl), ...environment };
    rememberEnvironment(wholeEnvironment);
    const config = readConsoleConfig(wholeEnvironment);
    const options = { ...SERVICE_OPTIONS, logTo: testLog('console') };
    const app = await createService(AppModule.forRoot(config), config, options);
    holdToContract(app, 'console');
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    return new TestConsole(app, `http://127.0.0.1:${port}`);
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const content = options.raw ?? (options.json === undefined ? undefined : JSON.stringify(options.json));
    const headers: Record<string, string> = {
      ...(content === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` }),
      ...options.headers,
    };
    rememberRequest(path, headers, options.json);
    const answer = await sendRequest(this.url, method, path, {
      headers,
      ...(content !== undefined && { content }),
    });
    rememberAnswer(answer.headers, answer.body);
    return answer;
  }

  /** Opens a session for an account without its password. */
  async openSession(accountId: string, secondFactor: SecondFactorProof | null = null): Promise<string> {
    const pool = this.app.get(Database);
    const account = await readForSignIn(pool, accountId);
    const session =
      account &&
      (await this.app.get(SessionsService).open(pool, accountId, account.credentialsVersion, secondFactor));
    if (!session) throw new Error(`No session for ${accountId}.`);
    return session.token;
  }

  close(): Promise<void> {
    return this.app.close();
  }
}

export interface SignedIn extends TestAccount {
  token: string;
}

/** A console with its own database. */
export class TestSite {
  private constructor(
    readonly database: TestDatabase,
    readonly console: TestConsole,
    private readonly currency: 'USD' | 'CNY',
  ) {}

  static async start(environment: Record<string, string> = {}): Promise<TestSite> {
    const database = await createTestDatabase(ENTITIES);
    const console = await TestConsole.start(database.urlFor('console'), environment);
    return new TestSite(database, console, environment.SITE === 'cn' ? 'CNY' : 'USD');
  }

  /** Opens a session of a new account, whose address is confirmed. */
  async signedIn(role: Role = 'user', balancePicos = 0n): Promise<SignedIn> {
    const { currency } = this;
    const account = await insertAccount(this.database.pool, { role, balancePicos, currency });
    await this.confirmAddress(account.accountId);
    return { ...account, token: await this.console.openSession(account.accountId) };
  }

  /** Confirms the address of an account, as its owner does with the token of a mail. */
  async confirmAddress(accountId: string): Promise<void> {
    await this.database.pool.query('UPDATE accounts.accounts SET email_verified_at = now() WHERE id = $1', [
      accountId,
    ]);
  }

  async stop(): Promise<void> {
    await this.console.close();
    await rm(storageFolder(this.database.urlFor('console')), { recursive: true, force: true });
    await this.database.drop();
  }
}

export interface ServedRequest {
  model: string;
  rates: readonly Price[];
  usage: TokenUsage | MeteredUsage;
  /** `req_…` by default. */
  requestId?: string;
  apiKeyId?: string | null;
  entrypoint?: string;
  outcome?: UsageOutcome;
  priceListId?: bigint;
  /** USD for one unit of the site's currency × 10^10; one by default. */
  usdPerUnit?: bigint;
  /** What the gateway told of the answer; nothing by default, as before it did. */
  told?: { duration_ms?: number; time_to_first_token_ms?: number; finish_reason?: string };
}

const meteredUsage = (usage: TokenUsage | MeteredUsage): MeteredUsage =>
  'counts' in usage ? usage : countsOf(usage);

/** Meters and debits one request as the gateway does, with a lease and a settlement. Returns the cost in picos. */
export async function settleRequest(
  sql: Executor,
  accountId: string,
  request: ServedRequest,
): Promise<bigint> {
  return settleRequests(sql, accountId, [request]);
}

/** Settles several requests at once, which then have the same time. Returns their cost in picos. */
export async function settleRequests(
  sql: Executor,
  accountId: string,
  requests: ServedRequest[],
): Promise<bigint> {
  const charges = requests.map(({ rates, usage, usdPerUnit = ONE_USD }) =>
    charge(rates, meteredUsage(usage), usdPerUnit),
  );
  const costPicos = charges.reduce((sum, one) => sum + one.costPicos, 0n);
  const lease = await sql.query<{ lease_id: string }>(
    `SELECT lease_id FROM wallet.draw_lease($1, NULL, NULL, $2, 'test', $3, $3, 60)`,
    [accountId, newId('lease'), costPicos],
  );
  const events = requests.map((request, index) => ({
    request_id: request.requestId ?? newId('req'),
    lease_id: lease.rows[0]!.lease_id,
    limited: false,
    started_at: new Date().toISOString(),
    account_id: accountId,
    api_key_id: request.apiKeyId ?? null,
    model: request.model,
    entrypoint: request.entrypoint ?? 'gateway',
    endpoint: 'chat/completions',
    upstream: 'test',
    outcome: request.outcome ?? 'completed',
    input_tokens: inputTokensOf(meteredUsage(request.usage).counts),
    output_tokens: outputTokensOf(meteredUsage(request.usage).counts),
    estimated: false,
    ...request.told,
    price_list_id: String(request.priceListId ?? 0),
    usd_per_unit: scaledToDecimal(request.usdPerUnit ?? ONE_USD, RATE_DIGITS),
    cost_picos: String(charges[index]!.costPicos),
    cost_usd_picos: String(charges[index]!.costUsdPicos),
    lines: charges[index]!.lines.map((line) => ({
      meter: line.meter,
      rate_picos: String(line.ratePicos),
      conditions: line.conditions,
      price: line.price,
      unit: line.unit,
      quantity: String(line.quantity),
      tokens: String(line.tokens),
      cost_picos: String(line.costPicos),
      cost_usd_picos: String(line.costUsdPicos),
    })),
  }));
  const refused = await sql.query('SELECT metering.settle($1, $2)', [newId('set'), JSON.stringify(events)]);
  if (refused.rowCount) throw new Error('The settlement was refused.');
  return costPicos;
}
