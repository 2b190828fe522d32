import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { MEMO_CONFIG, type MemoConfig } from '../config';
import { SHORT_ONLY } from './short-only';

const ENTRY = join(__dirname, 'main.js');
const RESTART_MILLIS = 1_000;
/** What a worker may take to put down what it has in hand. */
const GRACE_MILLIS = 5_000;

/**
 * Keeps the processes running that read documents: whatever a file does to one of them, memory, time or a crash of the
 * runtime itself, requests are served by another one. The first of several leaves what takes long to the others, so that
 * a short document is read at once.
 */
@Injectable()
export class IngestionWorkers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(IngestionWorkers.name);
  private readonly children = new Set<ChildProcess>();
  private stopping = false;

  constructor(@Inject(MEMO_CONFIG) private readonly config: MemoConfig) {}

  onApplicationBootstrap(): void {
    const { INGESTION_WORKERS: workers } = this.config;
    for (let i = 0; i < workers; i++) this.start(i === 0 && workers > 1 ? [SHORT_ONLY] : []);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await Promise.all([...this.children].map(stop));
  }

  private start(args: string[]): void {
    if (this.stopping) return;
    const child = fork(ENTRY, args, { execArgv: ['--enable-source-maps'] });
    this.children.add(child);
    child.once('exit', (code, signal) => {
      if (code !== 0) this.logger.warn(`A process that reads documents has ended (${signal ?? code}).`);
      this.replace(child, args);
    });
    child.on('error', (error) => {
      this.logger.error(`A process that reads documents: ${error.message}`);
      // One that never was does not end, either.
      if (child.pid === undefined) this.replace(child, args);
    });
  }

  private replace(child: ChildProcess, args: string[]): void {
    this.children.delete(child);
    if (!this.stopping) setTimeout(() => this.start(args), RESTART_MILLIS).unref();
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  if (child.connected) child.disconnect();
  const timeout = setTimeout(() => child.kill('SIGKILL'), GRACE_MILLIS);
  await ended;
  clearTimeout(timeout);
}
