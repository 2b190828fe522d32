import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from './documents';

/** A whole site with a database of its own, on a busy machine. */
const READY_MILLIS = 300_000;
const STOP_MILLIS = 120_000;
const POLL_MILLIS = 200;
/** Below the ports that Linux gives to outgoing connections. */
const LOWEST_PORT = 15_000;
const PORT_SPAN = 4_900;
const PORT_STEP = 25;
const MAX_TRIES = 10;

/** `npm start` with its own data folder, on ports that are free. */
export class RunningSite {
  private constructor(
    private readonly child: ChildProcess,
    readonly dataDir: string,
  ) {}

  /** Rejects with the launcher's output when it ends or is not ready in time. */
  static async start(site: 'intl' | 'cn', dataDir: string): Promise<RunningSite> {
    for (let attempt = 1; ; attempt++) {
      const portBase = LOWEST_PORT + Math.floor((Math.random() * PORT_SPAN) / PORT_STEP) * PORT_STEP;
      const child = spawn(process.execPath, [join(ROOT, 'tools/launcher/start.mjs')], {
        cwd: ROOT,
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          SITE: site,
          PORT_BASE: String(portBase),
          DATA_DIR: dataDir,
          // The documents sign in more often in a minute than one address may.
          RATE_LIMIT_MULTIPLIER: '100',
          // The launcher then ends with this process, as it does with npm.
          npm_lifecycle_event: 'start',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const output = await untilRunning(child);
      if (output === null) return new RunningSite(child, dataDir);
      if (attempt === MAX_TRIES || !output.includes('ports that are needed')) throw new Error(output);
    }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'close');
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MILLIS);
    await ended;
    clearTimeout(timer);
  }
}

/** Null when the platform runs; the output when the launcher has ended or is not ready in time. */
async function untilRunning(child: ChildProcess): Promise<string | null> {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const deadline = Date.now() + READY_MILLIS;
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
    if (output.includes('The platform is running')) return null;
    await new Promise((resolve) => setTimeout(resolve, POLL_MILLIS));
  }
  child.kill('SIGKILL');
  return output;
}
