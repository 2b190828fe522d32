import cluster from 'node:cluster';
import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import {
  type BeforeApplicationShutdown,
  type INestApplication,
  Injectable,
  type OnApplicationShutdown,
  ShutdownSignal,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/** For `enableShutdownHooks`: a signal that it sends to itself does not end the first process of a container. */
export const SHUTDOWN_OPTIONS = { useProcessExit: process.pid === 1 };

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

const INTERVAL_MILLIS = 50;

/**
 * Closes idle connections during shutdown. Node closes only those that are idle at the moment of `close()`; a connection whose
 * last response ends later, or that never sent a request, would delay the shutdown.
 */
@Injectable()
export class ConnectionDrain implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly silent = new Set<Socket>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly host: HttpAdapterHost) {}

  /** Starts to track connections; called once the server exists. */
  watch(): void {
    const server = this.server();
    server.on('connection', (socket) => {
      this.silent.add(socket);
      socket.once('close', () => this.silent.delete(socket));
    });
    server.on('request', ({ socket }) => this.silent.delete(socket));
  }

  beforeApplicationShutdown(): void {
    this.timer = setInterval(() => {
      if (this.server().listening) return;
      this.server().closeIdleConnections();
      for (const socket of this.silent) socket.destroy();
    }, INTERVAL_MILLIS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private server(): Server {
    return this.host.httpAdapter.getHttpServer() as Server;
  }
}
