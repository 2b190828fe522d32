import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { holdProcessToContract } from '../contract/process-contract';
import {
  rememberEnvironment,
  TEST_API_KEY_HASH_SECRET,
  TEST_UPSTREAM_ENCRYPTION_KEY,
} from '../secrets/remembered-secrets';
import { type TestDatabase } from '../database/test-database';
import { testLog } from '../secrets/test-log';

const ROOT = join(__dirname, '../../../..');
const GATEWAY = join(ROOT, 'dist/apps/gateway/src/main.js');
/** Preloaded code that ends the child process when the parent process has ended, even by SIGKILL. */
const STOP_WITH_PARENT = join(ROOT, 'tools/launcher/processes/stop-with-parent.mjs');
const REPORT_PORT = join(ROOT, 'tools/test-runner/report-port.mjs');

export type Environment = Record<string, string>;

export interface TestGateway {
  url: string;
  child: ChildProcess;
}

/** Environment of every service that runs in a test. */
export const serviceEnvironment = (databaseUrl: string): Environment => ({
  SITE: 'intl',
  HOST: '127.0.0.1',
  PORT: '0',
  NODE_ENV: 'test',
  LOG_LEVEL: 'trace',
  DATABASE_URL: databaseUrl,
  CONSOLE_URL: 'http://127.0.0.1:9',
  API_KEY_HASH_SECRET: TEST_API_KEY_HASH_SECRET,
  UPSTREAM_ENCRYPTION_KEYS: TEST_UPSTREAM_ENCRYPTION_KEY,
  UPSTREAM_PRIVATE_NETWORKS: 'allowed',
  UPSTREAMS_APPLY: 'until_changed',
});

/** Resolves with the port of the child when it listens. */
async function reportedPort(child: ChildProcess): Promise<number> {
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new Error('The gateway does not start; its log says why.')));
  const [{ port }] = (await once(child, 'message', { signal: ended.signal })) as [{ port: number }];
  return port;
}

/** Starts the built gateway as a separate process with these upstreams. */
export async function startGateway(
  database: TestDatabase,
  upstreams: unknown[],
  environment: Environment,
): Promise<TestGateway> {
  const all = {
    ...serviceEnvironment(database.urlFor('gateway')),
    UPSTREAMS: JSON.stringify(upstreams),
    ...environment,
  };
  rememberEnvironment(all);
  const child = spawn(process.execPath, ['--import', STOP_WITH_PARENT, '--import', REPORT_PORT, GATEWAY], {
    env: { PATH: process.env.PATH, ...all, LAUNCHED_BY: String(process.pid) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const log = testLog('gateway');
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => log.write(chunk));
  const url = `http://127.0.0.1:${await reportedPort(child)}`;
  holdProcessToContract(url, 'gateway');
  return { url, child };
}
