import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  createTestDatabase,
  describeWhere,
  findFreePort,
  insertAccount,
  publishPrices,
  publishTrainingPrice,
  type TestAccount,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { AgentCaller } from '../agent/agent-calls';
import { askConsole } from '../site/console-client';
import { findProgram, Nginx } from '../site/nginx';
import { PostgresProcess } from '../site/postgres-process';
import { ROOT, type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';
import { CertificateAuthority } from './certificate-authority';

const HOST = 'localhost';
/** Whom tools/postgres runs PostgreSQL as if this process is root's. */
const POSTGRES_USER = process.getuid?.() === 0 ? 65_534 : process.getuid!();
const MODEL = 'sandbox-chat';
const missing = ['openssl', 'redis-server', 'nginx'].filter((program) => !findProgram(program));

describeWhere(missing.length === 0, `${missing.join(', ')} is missing`)(
  'over TLS with a private authority',
  () => {
    let authority: CertificateAuthority;
    let postgres: PostgresProcess;
    let redisServer: ChildProcess;
    let redis: Redis;
    let database: TestDatabase;
    let account: TestAccount;
    let site: Site;
    let proxy: Nginx;
    let consoleProxy: Nginx;
    let consoleService: ServiceProcess;
    let agent: ServiceProcess;
    let routerCost: ServiceProcess;
    let training: ServiceProcess;
    let memo: ServiceProcess;

    /** The address of the database as deploy.md gives it. */
    function verified(url: string, host = HOST, rootCertificate = authority.certificate): string {
      const address = new URL(url);
      address.hostname = host;
      address.searchParams.set('sslmode', 'verify-full');
      address.searchParams.set('sslrootcert', rootCertificate);
      return address.href;
    }

    async function startRedis(): Promise<string> {
      const { certificate, key } = authority.issue(HOST);
      const port = await findFreePort();
      const settings = {
        port: 0,
        'tls-port': port,
        'tls-cert-file': certificate,
        'tls-key-file': key,
        'tls-ca-cert-file': authority.certificate,
        'tls-auth-clients': 'no',
        save: '',
      };
      const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
      redisServer = spawn('redis-server', args, { stdio: 'ignore' });
      return `rediss://${HOST}:${port}`;
    }

    beforeAll(async () => {
      authority = new CertificateAuthority();
      const { certificate, key } = authority.issue(HOST, POSTGRES_USER);
      postgres = await PostgresProcess.create({ ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key });
      process.env.TEST_DATABASE_URL = await postgres.start();
      database = await createTestDatabase();
      await publishPrices(database.pool, [
        { slug: MODEL, unit: 'per_million_tokens', ratePicos: 1_000_000n },
      ]);
      await publishTrainingPrice(database.pool, 1n);
      account = await insertAccount(database.pool, { balancePicos: 10n ** 12n });
      const REDIS_URL = await startRedis();
      redis = new Redis(REDIS_URL, { tls: { ca: readFileSync(authority.certificate) } });
      const NODE_EXTRA_CA_CERTS = authority.certificate;
      site = new Site(database, { databaseUrl: (role) => verified(database.urlFor(role)) });
      const gateway = await site.startGateway(await site.startEngine());
      proxy = await Nginx.start(findProgram('nginx')!, gateway.url, authority.issue(HOST));
      consoleService = await site.startConsole({ REDIS_URL, NODE_EXTRA_CA_CERTS });
      agent = await site.startAgent(gateway, { GATEWAY_URL: proxy.url, NODE_EXTRA_CA_CERTS });
      consoleProxy = await Nginx.start(findProgram('nginx')!, consoleService.url, authority.issue(HOST));
      const sessions = { CONSOLE_URL: consoleProxy.url, NODE_EXTRA_CA_CERTS };
      routerCost = await site.startPlain('router-cost', sessions);
      training = await site.startPlain('training', sessions);
      memo = await site.startMemo(gateway, { ...sessions, GATEWAY_URL: proxy.url, INGESTION_WORKERS: '1' });
    });

    afterAll(async () => {
      await site?.stop();
      await proxy?.stop();
      await consoleProxy?.stop();
      redis?.disconnect();
      if (redisServer?.kill('SIGKILL')) await once(redisServer, 'exit');
      await database?.drop();
      await postgres?.remove();
      authority?.remove();
    });

    test('an agent calls the gateway', async () => {
      const caller = new AgentCaller(agent.url, account.apiKey);
      const stream = await caller.stream('first-session', 'Hello');
      await stream.end;
      expect(stream.events.at(-1)?.event).toBe('turn.completed');
      expect(proxy.url).toMatch(/^https:/);
    });

    test('the consoles share their rate limits through Redis', async () => {
      await askConsole(consoleService.url, 'POST', '/api/auth/login', {
        json: { identifier: 'nobody@example.com', password: 'wrong' },
      });
      await waitFor(async () => (await redis.dbsize()) > 0);
    });

    test('services accept sessions whose keys they fetch from the console', async () => {
      const json = { email: 'customer@example.com', password: 'correct horse battery' };
      const { body, cookie } = await askConsole(consoleService.url, 'POST', '/api/auth/register', { json });
      const Authorization = `Bearer ${(body as { token: string }).token}`;
      const statusOf = async (url: string, headers: Record<string, string>) => {
        const response = await fetch(url, { headers });
        await response.arrayBuffer();
        return response.status;
      };
      expect(await statusOf(`${memo.url}/v1/workspaces`, { Authorization })).toBe(200);
      expect(await statusOf(`${training.url}/v1/capabilities`, { Authorization })).toBe(200);
      expect(await statusOf(`${routerCost.url}/v1/router/cost`, { Cookie: cookie! })).toBe(200);
    });

    test.each(['libs/database/src/migrate.js', 'libs/metering/src/reconcile/command.js'])(
      '%s verifies the database',
      async (path) => {
        const run = (DATABASE_URL: string) =>
          promisify(execFile)(process.execPath, [join(ROOT, 'dist', path)], {
            env: { PATH: process.env.PATH, SITE: 'intl', DATABASE_URL },
          });
        await run(verified(database.ownerUrl));
        const other = new CertificateAuthority();
        const refused = await run(verified(database.ownerUrl, HOST, other.certificate)).catch(
          (error: { stdout: string; stderr: string }) => error,
        );
        other.remove();
        expect(refused).toMatchObject({ code: expect.any(Number) as number });
        expect(refused.stdout + refused.stderr).toMatch(/unable to verify|self-signed certificate/);
      },
    );

    test('each service has encrypted connections to the database only', async () => {
      const { rows } = await database.pool.query<{ usename: string; encrypted: boolean }>(
        `SELECT usename, bool_and(ssl) AS encrypted FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
       WHERE usename <> 'postgres' GROUP BY usename ORDER BY usename`,
      );
      expect(rows).toEqual(
        ['agent', 'console', 'gateway', 'memo', 'router_cost', 'training'].map((usename) => ({
          usename,
          encrypted: true,
        })),
      );
    });

    test('a database with another name, or a certificate of another authority, is not trusted', async () => {
      const connect = (url: string) => new Client({ connectionString: url }).connect();
      const url = database.urlFor('gateway');
      await expect(connect(verified(url, '127.0.0.1'))).rejects.toThrow('does not match certificate');
      const other = new CertificateAuthority();
      await expect(connect(verified(url, HOST, other.certificate))).rejects.toThrow('unable to verify');
      other.remove();
    });
  },
);
