import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { type Logger } from 'pino';
import { closeUnacceptedConnections } from './unaccepted-connections';

const PING = 'inference:ping';
/** Chosen: longer than any pause of a busy event loop, shorter than the five seconds that a probe waits. */
const PING_TIMEOUT_MILLIS = 3_000;

/** Lets this worker answer the pings of the primary process, as long as its event loop turns. */
export function answerPings(): void {
  process.on('message', (message) => {
    if (message === PING) process.send?.(PING);
  });
}

/** Resolves with false if the worker does not answer within three seconds, or ends before. */
function answersPing(worker: Worker): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (answers: boolean) => {
      clearTimeout(timer);
      worker.off('message', receive).off('exit', fail);
      resolve(answers);
    };
    const receive = (message: unknown) => {
      if (message === PING) finish(true);
    };
    const fail = () => finish(false);
    const timer = setTimeout(fail, PING_TIMEOUT_MILLIS);
    worker.on('message', receive).on('exit', fail);
    worker.send(PING, undefined, (error) => {
      if (error) fail();
    });
  });
}

const RESTART_PAUSE_MILLIS = 1_000;
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * The processes that serve one port together. Each is a whole service, as if it ran on a host of its own. This process only
 * accepts connections, hands them out in turn and replaces a worker that ends.
 */
export class Workers {
  private isStarting = true;
  private isStopping = false;
  private readonly restarts = new Set<NodeJS.Timeout>();
  private readonly listening = new Set<Worker>();

  constructor(
    private readonly count: number,
    private readonly logger: Logger,
  ) {}

  /** Resolves when all workers listen. Rejects if one ends before, which has then printed why; the others end too. */
  async start(): Promise<void> {
    for (const signal of SIGNALS) process.on(signal, () => void this.stop(signal));
    const outcomes = Array.from({ length: this.count }, () => this.fork());
    const isListening = (await Promise.all(outcomes)).every(Boolean);
    this.isStarting = false;
    if (!isListening && !this.isStopping) throw new Error('A worker could not start.');
  }

  /** Whether there are workers that listen, and all of them answer. One that hangs cannot be replaced, because it does not end. */
  async isLive(): Promise<boolean> {
    const answers = await Promise.all([...this.listening].map(answersPing));
    return answers.length > 0 && answers.every(Boolean);
  }

  /** Resolves with true when the new worker listens, with false when it ends before. */
  private fork(): Promise<boolean> {
    const worker = cluster.fork();
    closeUnacceptedConnections(worker);
    const { pid: workerPid } = worker.process;
    return new Promise((resolve) => {
      worker.once('listening', () => {
        this.logger.info({ workerPid }, 'A worker listens.');
        this.listening.add(worker);
        resolve(true);
      });
      worker.once('exit', (code, signal) => {
        resolve(false);
        this.listening.delete(worker);
        if (this.isStopping) return;
        if (this.isStarting) return this.send('SIGKILL');
        this.logger.error(
          { workerPid, code, signal },
          'A worker has ended. Another one will take its place.',
        );
        this.replace();
      });
    });
  }

  private replace(): void {
    const restart = setTimeout(() => {
      this.restarts.delete(restart);
      void this.fork();
    }, RESTART_PAUSE_MILLIS);
    this.restarts.add(restart);
  }

  /** Passes the signal on, and ends by it after the last worker. */
  private async stop(signal: NodeJS.Signals): Promise<void> {
    const ends = this.running().map((worker) => once(worker, 'exit'));
    this.send(signal);
    if (this.isStopping) return;
    this.isStopping = true;
    for (const restart of this.restarts) clearTimeout(restart);
    await Promise.all(ends);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // The signal does not end the first process of a container.
    setImmediate(() => process.exit(0));
  }

  private send(signal: NodeJS.Signals): void {
    for (const worker of this.running()) worker.process.kill(signal);
  }

  private running(): Worker[] {
    return Object.values(cluster.workers ?? {}).flatMap((worker) => (worker?.isDead() ? [] : (worker ?? [])));
  }
}
