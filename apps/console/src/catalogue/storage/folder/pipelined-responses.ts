import { type Socket } from 'node:net';
import { TooManyRequestsException } from '@inference/http';
import { type Request, type Response } from 'express';

/** Waiting responses of one connection. A client that pipelines more has not read a single response. */
const MAX_WAITING = 100;
const RETRY_SECONDS = 1;

/**
 * Delays a response until it is the first of its connection. Node accepts pipelined requests at once and buffers every
 * response but the first in memory. If the connection ends, Node emits no `close` event for responses that still wait.
 */
export class PipelinedResponses {
  private readonly waiting = new WeakMap<Socket, Set<() => void>>();

  /**
   * Resolves when all earlier responses of the connection have ended: to false if the connection has ended too. Throws
   * TooManyRequestsException if too many responses of the connection are waiting.
   */
  async waitForTurn({ socket }: Request, response: Response): Promise<boolean> {
    if (!response.socket && !socket.destroyed) await this.wait(socket, response);
    return !socket.destroyed;
  }

  private async wait(socket: Socket, response: Response): Promise<void> {
    const waiting = this.waitingOn(socket);
    if (waiting.size >= MAX_WAITING)
      throw new TooManyRequestsException('too many requests at once on one connection', RETRY_SECONDS);
    await new Promise<void>((resolve) => {
      const end = () => {
        waiting.delete(end);
        resolve();
      };
      waiting.add(end);
      response.once('socket', end);
    });
  }

  private waitingOn(socket: Socket): Set<() => void> {
    const existing = this.waiting.get(socket);
    if (existing) return existing;
    const waiting = new Set<() => void>();
    this.waiting.set(socket, waiting);
    socket.once('close', () => {
      for (const end of waiting) end();
    });
    return waiting;
  }
}
