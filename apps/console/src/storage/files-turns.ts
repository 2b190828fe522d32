import { type Socket } from 'node:net';
import { RetryLaterException } from '@inference/http';
import { type Request, type Response } from 'express';

/** On one connection. Whoever asks for more than that at once has not read one of the answers. */
const MAX_WAITING = 100;
const RETRY_SECONDS = 1;

/**
 * Lets an answer wait until it can be sent. Node takes the requests of a connection as they come and holds back every
 * answer but the first, in memory if it is written at once; one whose turn never comes is never said to be closed.
 */
export class Turns {
  private readonly waiting = new WeakMap<Socket, Set<() => void>>();

  /**
   * Resolves when the answers before this one have ended: false when the connection has too. Throws
   * RetryLaterException when too many of the connection's answers wait.
   */
  async comes({ socket }: Request, response: Response): Promise<boolean> {
    if (!response.socket && !socket.destroyed) await this.wait(socket, response);
    return !socket.destroyed;
  }

  private async wait(socket: Socket, response: Response): Promise<void> {
    const waiting = this.waitingOn(socket);
    if (waiting.size >= MAX_WAITING)
      throw new RetryLaterException('too many requests at once on one connection', RETRY_SECONDS);
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
    const known = this.waiting.get(socket);
    if (known) return known;
    const waiting = new Set<() => void>();
    this.waiting.set(socket, waiting);
    socket.once('close', () => {
      for (const end of waiting) end();
    });
    return waiting;
  }
}
