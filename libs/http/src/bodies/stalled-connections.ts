import { type Server } from 'node:http';
import { type Socket } from 'node:net';

/**
 * How long a client may take nothing of what waits for it. Chosen: no network that works stands still for a minute; at half, one of
 * a train in a tunnel is cut; at twice, the answers that nobody reads stay in memory for twice as long.
 */
const STALL_MILLIS = 60_000;
/** A stalled connection is found after one of these parts more at most. */
const CHECKS = 4;

/** What Node's own time limit of a socket looks at too: the bytes that the system has not yet taken of a write. */
interface SocketWithHandle {
  _handle?: { writeQueueSize?: number } | null;
}

interface Progress {
  /** Bytes of the writes that the system has taken as a whole. */
  written: number;
  /** Bytes that are left of the write under way. */
  left: number;
  /** Checks in a row that have found no progress. */
  stalls: number;
}

/**
 * Destroys the connections of clients that take nothing of what waits for them, at latest 75 s after they began to. Only progress
 * counts, not the time: a download that is slow but read and a stream in which nothing happens go on. The system tells progress in steps of
 * a third of its own buffer: of 1.4 MB at most, as measured, so that a client with a long one has to read some 25 kB/s.
 * @param stallMillis time without progress
 */
export function endStalledConnections(server: Server, stallMillis = STALL_MILLIS): void {
  const open = new Map<Socket, Progress | undefined>();
  server.on('connection', (socket) => {
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
  });
  // Checks are counted, not the time: a process that was stopped for an hour has not waited for anybody.
  const check = () => {
    for (const [socket, before] of open) {
      const now = progressOf(socket, before);
      if (now && now.stalls >= CHECKS) socket.destroy();
      else if (now !== before) open.set(socket, now);
    }
  };
  let timer: NodeJS.Timeout | undefined;
  server.on('listening', () => (timer = setInterval(check, stallMillis / CHECKS).unref()));
  server.on('close', () => clearInterval(timer));
}

/** Undefined if nothing waits for the client. */
function progressOf(socket: Socket, before: Progress | undefined): Progress | undefined {
  if (socket.writableLength === 0) return undefined;
  const written = socket.bytesWritten - socket.writableLength;
  const left = (socket as SocketWithHandle)._handle?.writeQueueSize ?? 0;
  const hasMoved = written !== before?.written || left !== before.left;
  return { written, left, stalls: hasMoved ? 0 : before.stalls + 1 };
}
