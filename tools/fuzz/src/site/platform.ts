import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NativeServer, startNativeServer } from './native-server';
import { StallLog } from './stall-log';

/** `npm` and Jest start in the root of the workspace. */
const LAUNCHER = join('tools', 'launcher', 'start.mjs');
const READY = 'The platform is running';
const STOP_MILLIS = 120_000;
/** Ports that one site takes, counted from its base. */
const PORTS = 100;
const LOWEST_PORT = 20_000;
/** Linux takes the ports of outgoing connections from 32768 on. */
const HIGHEST_PORT = 32_700;
const ATTEMPTS = 3;

interface Account {
  identifier: string;
  password: string;
  apiKey: string;
}

/** What `npm start` writes into platform.json and secrets.json. */
export interface Platform {
  urls: Record<string, string>;
  accounts: { demo: Account; admin: Account };
  memo: { workspaceId: string; apiKey: string };
  sandbox: { payments: string; code_host: string; engine: string };
  trainerCredential: string;
  agentCredential: string;
  consoleAgentCredential: string;
  consoleRouterCostCredential: string;
  /** Not yet an upstream of the site. */
  native: NativeServer;
  /** The folder of the logs. */
  logs: string;
  stalls: StallLog;
  stop(): Promise<void>;
}

/** Starts a whole site on data and ports of its own, without rate limits and with a fast engine. */
export async function startPlatform(): Promise<Platform> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryToStart();
    } catch (error) {
      // Another process may have taken one of the ports.
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function tryToStart(): Promise<Platform> {
  const folder = mkdtempSync(join(process.env.TEST_DATA_FOLDER ?? tmpdir(), 'fuzz-'));
  const dataDir = join(folder, 'data');
  const stallFolder = join(folder, 'stalls');
  mkdirSync(stallFolder);
  const stalls = new StallLog(stallFolder);
  const child = spawn(process.execPath, [LAUNCHER], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: dataDir,
      PORT_BASE: String(await freePortBase()),
      RATE_LIMIT_MULTIPLIER: '1000000',
      SESSION_COOKIE_NAME: 'session',
      ENGINE_TOKENS_PER_SECOND: '0',
      ...stalls.environment,
      // The launcher then ends when this process ends.
      npm_lifecycle_event: 'start',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  while (!output.includes(READY)) {
    if (child.exitCode !== null) throw new Error(`The platform does not start:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const native = await startNativeServer();
  const read = (name: string) => JSON.parse(readFileSync(join(dataDir, name), 'utf8')) as object;
  return {
    ...(read('platform.json') as Platform),
    ...(read('secrets.json') as Pick<
      Platform,
      'trainerCredential' | 'agentCredential' | 'consoleAgentCredential' | 'consoleRouterCostCredential'
    >),
    logs: join(dataDir, 'logs'),
    stalls,
    native,
    stop: async () => {
      native.stop();
      const ended = child.exitCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MILLIS);
      await ended;
      clearTimeout(timer);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A port from which some hundred are probably free: the launcher names one that is not. */
async function freePortBase(): Promise<number> {
  for (;;) {
    const base = LOWEST_PORT + Math.floor(Math.random() * ((HIGHEST_PORT - LOWEST_PORT) / PORTS)) * PORTS;
    const server = createServer().listen(base, '127.0.0.1');
    const isFree = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ]);
    if (!isFree) continue;
    await once(server.close(), 'close');
    return base;
  }
}
