import { type Worker } from 'node:cluster';
import { type ChildProcess } from 'node:child_process';

/** What node:cluster sends to a worker together with a connection, and what the worker answers. */
interface HandoffMessage {
  act?: string;
  seq: number;
  /** The `seq` of the message that this one answers. */
  ack?: number;
}

/**
 * Closes the connections that a worker was handed and had not accepted when it ended. node:cluster keeps them open for ever, so
 * that their clients would wait for an answer until their own timeout.
 */
export function closeUnacceptedConnections(worker: Worker): void {
  const child = worker.process as Pick<ChildProcess, 'send'> & NodeJS.EventEmitter;
  const unaccepted = new Map<number, { close(): void }>();
  const send = child.send.bind(child) as (...parameters: unknown[]) => boolean;
  child.send = (message: unknown, handle?: unknown, ...rest: unknown[]) => {
    const { act, seq } = message as HandoffMessage;
    if (act === 'newconn' && handle) unaccepted.set(seq, handle as { close(): void });
    return send(message, handle, ...rest);
  };
  child.on('internalMessage', ({ ack }: HandoffMessage) => {
    if (ack !== undefined) unaccepted.delete(ack);
  });
  worker.once('exit', () => {
    for (const connection of unaccepted.values()) connection.close();
  });
}
