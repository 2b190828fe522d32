import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

export interface ModelRequest {
  messages: { role: string; content: string | null; tool_call_id?: string; tool_calls?: unknown[] }[];
  tools?: unknown[];
}

/** Answers one request; `delta` sends a chunk of the stream. */
export type Script = (answer: ScriptedAnswer, request: ModelRequest) => void | Promise<void>;

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

export class ScriptedAnswer {
  constructor(private readonly response: ServerResponse) {}

  delta(delta: object): void {
    this.chunk({ choices: [{ index: 0, delta, finish_reason: null }] });
  }

  /** Ends the answer normally. */
  finish(reason: 'stop' | 'tool_calls' | 'length'): void {
    this.chunk({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
    this.chunk({ choices: [], usage: USAGE });
    this.response.end('data: [DONE]\n\n');
  }

  chunk(chunk: object): void {
    this.response.write(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...chunk })}\n\n`,
    );
  }

  breakOff(): void {
    this.response.destroy();
  }

  /** Resolves when the client has disconnected. */
  left(): Promise<void> {
    return new Promise((resolve) => this.response.once('close', resolve));
  }
}

/** A model server with scripted answers, for answers that the sandbox engine cannot give. */
export class ScriptedModel {
  readonly requests: ModelRequest[] = [];
  private script: Script = (answer) => answer.finish('stop');

  private constructor(private readonly server: ReturnType<typeof createServer>) {}

  static async start(): Promise<ScriptedModel> {
    const server = createServer();
    const model = new ScriptedModel(server);
    server.on('request', (request, response) => void model.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** Sets the answer of all later requests. */
  says(script: Script): void {
    this.script = script;
  }

  /** Answers all later requests with these tool calls, each as `[name, arguments]`. */
  calls(...calls: [name: string, args: object][]): void {
    this.says((answer) => {
      calls.forEach(([name, args], index) =>
        answer.delta({
          tool_calls: [
            {
              index,
              id: `call_${index}`,
              type: 'function',
              function: { name, arguments: JSON.stringify(args) },
            },
          ],
        }),
      );
      answer.finish('tool_calls');
    });
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A former test's client that still asks at this port is not the client of this one.
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      response.writeHead(404).end();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ModelRequest;
    this.requests.push(body);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    await this.script(new ScriptedAnswer(response), body);
  }
}
