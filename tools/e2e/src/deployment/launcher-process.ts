import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { waitFor } from '@inference/testing';
import { ROOT } from '../site/service-process';

/** A whole site with a database of its own, on a busy machine. */
const READY_MILLIS = 300_000;
const STOP_MILLIS = 120_000;

/** `npm start`, as a process that ends with this one. */
export class LauncherProcess {
  /** The exit code, null when it was killed. */
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;
  private text = '';

  constructor(environment: Record<string, string>) {
    this.child = spawn(process.execPath, [join(ROOT, 'tools/launcher/start.mjs')], {
      cwd: ROOT,
      // `npm_lifecycle_event` makes the launcher end when its parent process ends, as under npm.
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment, npm_lifecycle_event: 'start' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
    this.ended = once(this.child, 'close').then(([code]) => code as number | null);
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** The complete output so far. */
  get output(): string {
    return this.text;
  }

  /** Resolves when the launcher prints that the platform is running. Rejects with its output if it ends instead. */
  async untilRunning(): Promise<void> {
    const isRunning = () => {
      if (this.hasEnded) throw new Error(`The launcher has ended:\n${this.text}`);
      return this.text.includes('The platform is running');
    };
    await waitFor(() => this.hasEnded || isRunning(), READY_MILLIS);
    isRunning();
  }

  /** SIGTERM; the exit code, null when it had to be killed. */
  async stop(): Promise<number | null> {
    if (!this.hasEnded) this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MILLIS);
    const code = await this.ended;
    clearTimeout(timer);
    return code;
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}
