import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Readable } from 'node:stream';
import { rememberEnvironment, testLog, waitFor } from '@inference/testing';

export const ROOT = join(__dirname, '../../../..');

/** Ends the process when this one ends. */
const PRELOAD = join(ROOT, 'tools/launcher/processes/stop-with-parent.mjs');
/** Long enough for a machine that does much else. */
const READY_MILLIS = 120_000;
const STOP_MILLIS = 20_000;
const KEPT_OUTPUT_CHARS = 200_000;

export interface ServiceDescription {
  name: string;
  /** The built script, relative to the workspace. */
  entry: string;
  port: number;
  environment: Record<string, string>;
}

/** A service of the product as a process. It can be restarted on the same port. */
export class ServiceProcess {
  readonly name: string;
  readonly url: string;
  private child: ChildProcess | undefined;
  private ended: Promise<void> = Promise.resolve();
  private text = '';

  constructor(private readonly description: ServiceDescription) {
    this.name = description.name;
    this.url = `http://127.0.0.1:${description.port}`;
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  /** The last part of its output. */
  get output(): string {
    return this.text;
  }

  /** Resolves when the service is healthy. Rejects with its output if it ends. */
  async start(): Promise<void> {
    const { entry, port, environment } = this.description;
    rememberEnvironment(environment);
    const child = spawn(process.execPath, ['--import', PRELOAD, join(ROOT, entry)], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, ...environment, PORT: String(port), LAUNCHED_BY: String(process.pid) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.child = child;
    this.ended = new Promise((resolve) => child.once('exit', () => resolve()));
    for (const stream of [child.stdout, child.stderr]) if (stream) this.keep(stream);
    await this.untilReady(child);
  }

  /** kill -9. */
  async kill(): Promise<void> {
    if (this.isRunning) this.child?.kill('SIGKILL');
    await this.ended;
  }

  /** Sends SIGTERM. Returns false if it had to be killed, or failed. */
  async stop(): Promise<boolean> {
    const { child } = this;
    if (!child) return true;
    if (this.isRunning) child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MILLIS);
    await this.ended;
    clearTimeout(timer);
    return child.exitCode === 0 || child.signalCode === 'SIGTERM';
  }

  private keep(stream: Readable): void {
    const log = testLog(this.name);
    stream.on('data', (chunk: Buffer) => {
      log.write(chunk);
      this.text += chunk.toString();
      if (this.text.length > 2 * KEPT_OUTPUT_CHARS) this.text = this.text.slice(-KEPT_OUTPUT_CHARS);
    });
  }

  private async untilReady(child: ChildProcess): Promise<void> {
    const probe = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return 'ended';
      const response = await fetch(`${this.url}/healthz`, { signal: AbortSignal.timeout(2_000) });
      await response.text();
      return response.ok ? 'ready' : null;
    };
    const outcome = await waitFor(probe, READY_MILLIS).catch((error: Error) => error.message);
    if (outcome !== 'ready')
      throw new Error(`${this.name} did not start (${outcome}):\n${this.text.slice(-4_000)}`);
  }
}
