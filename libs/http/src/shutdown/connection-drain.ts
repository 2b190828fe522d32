import { type Server } from 'node:http';
import { type Socket } from 'node:net';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

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
