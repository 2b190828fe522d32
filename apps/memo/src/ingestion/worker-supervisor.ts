import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { INGESTION_CONFIG, type IngestionConfig } from './ingestion.config';

/** Command-line argument of a worker that leaves long documents and deletions to the others. */
export const SHORT_DOCUMENTS_ONLY = '--short-only';

const WORKER_ENTRY = join(__dirname, 'main.js');
/** Keeps a worker that fails at its start from using a whole processor. */
const RESTART_DELAY_MS = 1_000;
/** Time for a worker to return its job to the queue. */
const SHUTDOWN_GRACE_MS = 5_000;

/**
 * Starts and restarts the worker processes. Reading a file may exhaust memory or time or crash the runtime; in a
 * separate process this does not affect requests. The first of several workers skips long jobs, so that short
 * documents are read at once.
 */
@Injectable()
export class WorkerSupervisor implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(WorkerSupervisor.name);
  private readonly children = new Set<ChildProcess>();
  private stopped: Promise<unknown> | undefined;

  constructor(@Inject(INGESTION_CONFIG) private readonly config: IngestionConfig) {}

  onApplicationBootstrap(): void {
    const { workers } = this.config;
    for (let i = 0; i < workers; i++) this.start(i === 0 && workers > 1 ? [SHORT_DOCUMENTS_ONLY] : []);
  }

  /** Must return at once: Nest calls it module by module, and all are to stop at the same time. */
  onModuleDestroy(): void {
    this.stopped ??= Promise.all([...this.children].map(stopWorker));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stopped;
  }

  private start(args: string[]): void {
    if (this.stopped) return;
    const child = fork(WORKER_ENTRY, args, { execArgv: ['--enable-source-maps'] });
    this.children.add(child);
    child.once('exit', (code, signal) => {
      if (code !== 0) this.logger.warn(`A process that reads documents has ended (${signal ?? code}).`);
      this.replace(child, args);
    });
    child.on('error', (error) => {
      this.logger.error(`A process that reads documents: ${error.message}`);
      // A process that could not be started emits no exit event.
      if (child.pid === undefined) this.replace(child, args);
    });
  }

  private replace(child: ChildProcess, args: string[]): void {
    this.children.delete(child);
    if (!this.stopped) setTimeout(() => this.start(args), RESTART_DELAY_MS).unref();
  }
}

async function stopWorker(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  if (child.connected) child.disconnect();
  const timeout = setTimeout(() => child.kill('SIGKILL'), SHUTDOWN_GRACE_MS);
  await ended;
  clearTimeout(timeout);
}
