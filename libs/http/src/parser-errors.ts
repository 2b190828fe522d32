import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type AllowedOrigins, rawCorsHeaders } from './cross-origin';

const HEADERS_TOO_LARGE = 'HPE_HEADER_OVERFLOW';
const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT';

function describe(code: string | undefined): [status: string, message: string] {
  if (code === HEADERS_TOO_LARGE) return ['431 Request Header Fields Too Large', 'the headers are too large'];
  if (code === TIMED_OUT) return ['408 Request Timeout', 'the request took too long to arrive'];
  return ['400 Bad Request', 'the request is not valid HTTP'];
}

type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** What Node cannot even parse reaches no filter: it gets `{error}` here. */
export function answerParserErrors(server: Server, origins?: AllowedOrigins): void {
  const answers = new WeakMap<Socket, ServerResponse>();
  server.on('request', (request: IncomingMessage, response) => answers.set(request.socket, response));
  server.on('clientError', (error: ParserError, socket: Socket) => {
    const answer = answers.get(socket);
    // In the middle of an answer an error would be taken for a part of it.
    const isAnswering = answer?.headersSent && !answer.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
      socket.destroy();
      return;
    }
    const [status, message] = describe(error.code);
    const body = JSON.stringify({ error: message });
    const headers = `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    const cors = rawCorsHeaders(origins, error.rawPacket);
    socket.end(`HTTP/1.1 ${status}\r\n${headers}${cors}Connection: close\r\n\r\n${body}`);
  });
}
