import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Span, startRequestSpan } from '@inference/tracing';

type RoutedRequest = IncomingMessage & { route?: { path?: string } };
type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Asked every few seconds, by probes. Like the log, traces leave it out. */
const PROBE = '/healthz';
const FIRST_SERVER_ERROR = 500;

/**
 * Gives each request of a server a span, from its arrival to the end of its response, and runs the listeners in it. Only for a
 * process that traces: the server of any other one is left as it is.
 */
export function traceRequests(server: Server): void {
  const listeners = server.listeners('request') as Listener[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const serve = () => {
      for (const listener of listeners) listener.call(server, request, response);
    };
    const span = request.url === PROBE ? undefined : startSpan(request);
    if (span === undefined) return serve();
    request.spanIds = span.ids;
    response.once('close', () => endSpan(span, request, response));
    span.run(serve);
  });
}

function startSpan({ method = '', url = '', headers, httpVersion }: IncomingMessage): Span | undefined {
  const query = url.indexOf('?');
  return startRequestSpan(method, headers, {
    'http.request.method': method,
    'url.path': query === -1 ? url : url.slice(0, query),
    'url.scheme': 'http',
    'network.protocol.version': httpVersion,
  });
}

function endSpan(span: Span, request: RoutedRequest, { statusCode }: ServerResponse): void {
  const route = request.route?.path;
  if (route !== undefined) span.rename(`${request.method} ${route}`);
  span.set({ 'http.route': route, 'http.response.status_code': statusCode });
  if (statusCode >= FIRST_SERVER_ERROR) span.fail(String(statusCode));
  span.end();
}
