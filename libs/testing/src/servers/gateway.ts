import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { holdProcessToContract } from '../contract/process-contract';
import { rememberEnvironment } from '../secrets/remembered-secrets';
import { TEST_API_KEY_HASH_SECRET } from '../secrets/test-secrets';
import { type TestDatabase } from '../database/test-database';
import { testLog } from '../secrets/test-log';
import { waitFor } from '../wait-for';

const ROOT = join(__dirname, '../../../..');
const GATEWAY = join(ROOT, 'dist/apps/gateway/src/main.js');
/** Preloaded code that ends the child process when the parent process has ended, even by SIGKILL. */
const PRELOAD = join(ROOT, 'tools/launcher/processes/stop-with-parent.mjs');
const ATTEMPTS = 3;

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
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}

/** Returns null if another process has taken its port meanwhile. */
async function tryToStart(environment: Environment): Promise<TestGateway | null> {
  rememberEnvironment(environment);
  const child = spawn(process.execPath, ['--import', PRELOAD, GATEWAY], {
    env: { PATH: process.env.PATH, ...environment, LAUNCHED_BY: String(process.pid) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const log = testLog('gateway');
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => log.write(chunk));
  const url = `http://127.0.0.1:${environment.PORT}`;
  const isUp = await waitFor(async () => {
    if (child.exitCode !== null) return 'ended';
    return (await fetch(`${url}/healthz`)).ok && 'up';
  });
  if (isUp !== 'up') return null;
  holdProcessToContract(url, 'gateway');
  return { url, child };
}

/** Starts the built gateway as a separate process with these upstreams. */
export async function startGateway(
  database: TestDatabase,
  upstreams: unknown[],
  environment: Environment,
): Promise<TestGateway> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const gateway = await tryToStart({
      ...serviceEnvironment(database.urlFor('gateway')),
      PORT: String(await freePort()),
      UPSTREAMS: JSON.stringify(upstreams),
      ...environment,
    });
    if (gateway) return gateway;
  }
  throw new Error('The gateway does not start.');
}
