import cluster from 'node:cluster';
import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type INestApplication, Injectable, ShutdownSignal } from '@nestjs/common';
import { SHUTDOWN_OPTIONS } from './shutdown-options';

const SIGNALS = Object.values(ShutdownSignal) as NodeJS.Signals[];

/**
 * The time from SIGTERM to the shutdown. The service still answers every request, but `/healthz` is 503, so that a load balancer
 * sends requests elsewhere before the port closes. A second signal, or another one than SIGTERM, ends the wait. Workers wait also after
 * a second SIGTERM: one that is sent to the process group reaches them twice, because the first process passes it on.
 */
@Injectable()
export class ShutdownDelay {
  private timer: NodeJS.Timeout | undefined;

  /** Whether the service is about to shut down. */
  get isRunning(): boolean {
    return this.timer !== undefined;
  }

  /** Without a delay a signal calls the shutdown hooks at once. */
  takeSignals(app: INestApplication, delaySeconds = 0): void {
    const callHooks = () => app.enableShutdownHooks(undefined, SHUTDOWN_OPTIONS);
    if (delaySeconds === 0) {
      callHooks();
      return;
    }
    const shutDown = (signal: NodeJS.Signals) => {
      clearTimeout(this.timer);
      for (const each of SIGNALS) process.off(each, onSignal);
      callHooks();
      process.kill(process.pid, signal);
    };
    const onSignal = (signal: NodeJS.Signals) => {
      if (this.isRunning && cluster.isWorker && signal === 'SIGTERM') return;
      if (this.isRunning || signal !== 'SIGTERM') return shutDown(signal);
      this.timer = setTimeout(shutDown, delaySeconds * 1_000, signal);
      const server = app.getHttpServer() as Server;
      server.prependListener('request', (_: IncomingMessage, response: ServerResponse) =>
        response.setHeader('Connection', 'close'),
      );
    };
    for (const signal of SIGNALS) process.on(signal, onSignal);
  }
}
