import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface ScriptedEvent {
  event: string;
  data: unknown;
}

/** A fault of one response. */
export type Fault =
  /** After so many bytes of the body the connection is closed (`cut`), the response ends (`end`), or nothing more is sent (`stall`). */
  | { kind: 'cut' | 'end' | 'stall'; bytes: number }
  | { kind: 'no-answer' }
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: string };

interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: unknown;
}

const PIECE_BYTES = 7;
const HEARTBEAT_MS = 200;
const FINAL_TYPES = ['turn.requires_action', 'turn.completed', 'turn.cancelled', 'error'];

interface StoredEvent extends ScriptedEvent {
  id: string;
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? undefined : JSON.parse(text);
}

/**
 * Serves the streams of one session over HTTP like the agent service, with faults on demand. The next fault affects
 * the next response. Each posted event streams the next part of the script, up to an event that ends a response.
 */
export class ProtocolServer {
  readonly requests: SeenRequest[] = [];
  readonly faults: Fault[] = [];
  /** The responses to requests that are no streams. */
  readonly json = new Map<string, { status: number; body?: unknown }>();
  retryMs = 1;
  /** Number of comments before the first event, HEARTBEAT_MS apart. */
  heartbeats = 0;
  /** Connections that the client has closed. */
  left = 0;
  private readonly starts = new Map<string, number>();
  private events: StoredEvent[] = [];
  private shown = 0;

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.answer(request, response));
  }

  static async start(): Promise<ProtocolServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ProtocolServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resets the server, and assigns ids to the events of each turn. */
  script(...turns: ScriptedEvent[][]): void {
    this.events = turns.flatMap((turn, index) =>
      turn.map((event, place) => ({ ...event, id: `${index + 1}.${place + 1}` })),
    );
    this.shown = 0;
    this.starts.clear();
    this.requests.length = 0;
    this.faults.length = 0;
    this.left = 0;
    this.retryMs = 1;
    this.heartbeats = 0;
  }

  /** The events that a client must yield, with their ids. */
  get expected(): StoredEvent[] {
    return this.events;
  }

  /** Breaks the protocol on purpose. An empty id is omitted. */
  rename(id: string, other: string): void {
    for (const event of this.events) if (event.id === id) event.id = other;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const body = await readBody(request);
    this.requests.push({ method, url, headers, body });
    response.on('close', () => (this.left += response.writableFinished ? 0 : 1));
    // A POST whose response is lost has taken effect.
    const isStream = url.includes('/events/stream');
    const fault = this.faults.shift();
    if (fault?.kind === 'status') {
      return void response.writeHead(fault.status, fault.headers).end(fault.body);
    }
    const from = isStream ? this.startOf(method, headers) : 0;
    if (fault?.kind === 'no-answer') return void response.destroy();
    if (!isStream) return this.answerJson(`${method} ${url}`, response);
    await this.stream(response, from, fault);
  }

  private answerJson(route: string, response: ServerResponse): void {
    const { status, body } = this.json.get(route) ?? { status: 404, body: { error: `no ${route}` } };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  }

  private startOf(method: string, headers: IncomingMessage['headers']): number {
    if (method === 'GET') {
      const position = headers['last-event-id'];
      return position === undefined ? 0 : this.events.findIndex(({ id }) => id === position) + 1;
    }
    const key = String(headers['idempotency-key']);
    const start = this.starts.get(key) ?? this.shown;
    this.starts.set(key, start);
    this.shown = Math.max(this.shown, this.endOf(start));
    return start;
  }

  private endOf(start: number): number {
    const last = this.events.findIndex(({ event }, index) => index >= start && FINAL_TYPES.includes(event));
    return last === -1 ? this.events.length : last + 1;
  }

  private async stream(response: ServerResponse, from: number, fault?: Fault): Promise<void> {
    if (from >= this.events.length) return void response.writeHead(204).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let sent = 0; sent < this.heartbeats; sent += 1) {
      response.write(': nothing yet\n\n');
      await delay(HEARTBEAT_MS);
    }
    const shown = this.events.slice(from, this.endOf(from));
    const text = shown.map(
      ({ id, event, data }) =>
        `event: ${event}\n${id && `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n: still here\n\n`,
    );
    const bytes = Buffer.from(`retry: ${this.retryMs}\n${text.join('')}`);
    const limit = fault && 'bytes' in fault ? Math.min(fault.bytes, bytes.length) : bytes.length;
    for (let start = 0; start < limit; start += PIECE_BYTES) {
      response.write(bytes.subarray(start, Math.min(start + PIECE_BYTES, limit)));
    }
    if (fault?.kind === 'stall') return;
    // The written bytes are sent by then, so that the cut discards none of them.
    if (fault?.kind === 'cut') {
      await delay(1);
      response.destroy();
    } else response.end();
  }
}
