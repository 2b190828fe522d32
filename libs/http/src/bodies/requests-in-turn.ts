import { AsyncResource } from 'node:async_hooks';
import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Requests of one connection that wait. A client that sends more has read no answer meanwhile. */
const MOST_WAITING = 100;

/**
 * Has the requests of a connection served one after another, however many are sent at once. Node hands them over together, keeps what is
 * written to all answers but the first in memory, and tells nobody when the connection closes before their turn. Called after all
 * listeners for requests were added.
 */
export function serveInTurn(server: Server): void {
  const listeners = server.listeners('request') as Listener[];
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    for (const listener of listeners) listener.call(server, request, response);
  };
  const waiting = new WeakMap<Socket, number>();
  const wait = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > MOST_WAITING) return void socket.destroy();
    waiting.set(socket, count);
    const onTurn = () => {
      waiting.set(socket, waiting.get(socket)! - 1);
      serve(request, response);
    };
    // Without it the request would be served as a part of the one before.
    response.once('socket', AsyncResource.bind(onTurn));
  };
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) =>
    response.socket ? serve(request, response) : wait(request, response),
  );
}
