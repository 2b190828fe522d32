import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';

/** Tokens of each answer. */
const USAGE = { prompt_tokens: 700, completion_tokens: 30, total_tokens: 730 };

/** A model server whose answers a test holds back or makes fail. */
export class SteeredModel {
  /** Models that were asked for, in order. */
  readonly asked: string[] = [];
  /** Whether answers wait until they are let go. */
  isHolding = false;
  /** The models whose calls get 500. */
  readonly failing = new Set<string>();
  private readonly held: (() => void)[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  get running(): number {
    return this.held.length;
  }

  /** Answers so many of the calls that wait, the oldest first. */
  letGo(count = Infinity): void {
    for (const answer of this.held.splice(0, count)) answer();
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('Content-Type', 'application/json');
    if (request.method === 'GET') return void response.end('{"data":[{"id":"small"},{"id":"large"}]}');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { model } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { model: string };
    this.asked.push(model);
    if (this.failing.has(model)) return void response.writeHead(500).end('{"error":"Out of memory."}');
    if (this.isHolding) await new Promise<void>((resolve) => this.held.push(resolve));
    const choice = { index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' };
    response.end(
      JSON.stringify({ id: 'c', object: 'chat.completion', model, choices: [choice], usage: USAGE }),
    );
  }
}
