import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { type Socket } from 'node:net';
import { type AllowedOrigins, rawCorsHeaders } from '../cors';

const HEADERS_TOO_LARGE = 'HPE_HEADER_OVERFLOW';
const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT';

function describe(code: string | undefined): [status: number, message: string] {
  if (code === HEADERS_TOO_LARGE) return [431, 'the headers are too large'];
  if (code === TIMED_OUT) return [408, 'the request took too long to arrive'];
  return [400, 'the request is not valid HTTP'];
}

/** Builds the body of the answer to a request that Node cannot parse. */
export type ParserErrorBody = (status: number, message: string) => object;

const DEFAULT_BODY: ParserErrorBody = (_status, error) => ({ error });

interface ParserErrorOptions {
  parserErrorBody?: ParserErrorBody;
  /** Names the answers in `X-Request-Id`; without it they have none. */
  newRequestId?: () => string;
}

type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** Answers requests that Node's HTTP parser rejects (400, 408, 431); they reach no exception filter. */
export function answerParserErrors(
  server: Server,
  origins?: AllowedOrigins,
  { parserErrorBody: bodyOf = DEFAULT_BODY, newRequestId }: ParserErrorOptions = {},
): void {
  const answers = new WeakMap<Socket, ServerResponse>();
  server.on('request', (request: IncomingMessage, response) => answers.set(request.socket, response));
  server.on('clientError', (error: ParserError, socket: Socket) => {
    const answer = answers.get(socket);
    // While an answer is being sent, the client would read an error as part of it.
    const isAnswering = answer?.headersSent && !answer.writableFinished;
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
      socket.destroy();
      return;
    }
    const [status, message] = describe(error.code);
    const body = JSON.stringify(bodyOf(status, message));
    const headers = `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    const id = newRequestId ? `X-Request-Id: ${newRequestId()}\r\n` : '';
    const cors = rawCorsHeaders(origins, error.rawPacket);
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}${id}${cors}Connection: close\r\n\r\n${body}`,
    );
  });
}
