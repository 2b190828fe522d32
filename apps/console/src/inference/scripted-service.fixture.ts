import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

export interface SeenRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Script = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

/** A service behind the console whose answers the test decides. */
export class ScriptedService {
  readonly requests: SeenRequest[] = [];
  private script: Script = (_request, response) => void response.end();

  private constructor(private readonly server: ReturnType<typeof createServer>) {
    server.on('request', (request, response) => void this.answer(request, response));
  }

  static async start(): Promise<ScriptedService> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ScriptedService(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Sets the answer of all later requests. */
  answers(script: Script): void {
    this.requests.length = 0;
    this.script = script;
  }

  answersJson(status: number, body: unknown, headers: Record<string, string> = {}): void {
    this.answers((_request, response) => sendJson(response, status, body, headers));
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const seen = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
    this.requests.push(seen);
    await this.script(seen, response);
  }
}

const sendJson = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void =>
  void response
    .writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers })
    .end(JSON.stringify(body));

function isReadable(body: string): boolean {
  try {
    return body === '' || JSON.parse(body) !== null;
  } catch {
    return false;
  }
}

/** Answers as gateway, agent and router-cost answer a new account: no session exists, and requests without their fields are 400. */
export const likeNewAccount: Script = ({ method, url, body }, response) => {
  const path = url.split('?')[0]!;
  const needsFields =
    method === 'PATCH' || (method === 'POST' && /(\/completions|\/estimate|\/events|\/stream)$/.test(path));
  if (needsFields || !isReadable(body)) sendJson(response, 400, { error: 'malformed' });
  else if (path === '/v1/models') sendJson(response, 200, { object: 'list', data: [] });
  else if (path === '/v1/router/cost') sendJson(response, 200, { items: [], next_cursor: null });
  else if (path === '/v1/agents/sessions') sendJson(response, method === 'POST' ? 201 : 200, {});
  else sendJson(response, 404, { error: 'no such session' });
};
