import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

interface Message {
  role: string;
  content?: unknown;
}

interface ToolDefinition {
  function: { name: string; parameters?: { properties?: Record<string, { type?: unknown }> } };
}

export interface ChatRequest {
  model: string;
  stream?: boolean;
  messages: Message[];
  tools?: ToolDefinition[];
  response_format?: { type: string };
}

/** What the model says: a text, or calls of tools. */
export type Reply = string | { name: string; arguments: object }[];

export interface ServedCall {
  inputTokens: bigint;
  outputTokens: bigint;
}

/** Several times a gateway's interval of signs of life in these tests. */
export const SILENCE_MILLIS = 400;

const CHUNK = { id: 'chatcmpl-1', created: 1_790_000_000, model: 'served', system_fingerprint: 'fp_house' };

/** The text of a message, whose content may be a list of parts. */
export function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : '';
}

/**
 * A chat server whose answers follow from the request. Its streams are silent before their first event and before their last piece,
 * as a model is that thinks. No two calls report the same usage, so that what it has served can be compared with what was charged,
 * call by call.
 */
export class ChatModel {
  /** What it has served since the last `takeServed`. */
  private served: ServedCall[] = [];
  private count = 0;
  /** The bodies it was asked with, for the report of a test that fails. */
  readonly requests: ChatRequest[] = [];

  private constructor(
    private readonly server: Server,
    private readonly reply: (request: ChatRequest) => Reply,
  ) {}

  static async start(reply: (request: ChatRequest) => Reply): Promise<ChatModel> {
    const server = createServer((request, response) => void model.serve(request, response));
    const model = new ChatModel(server, reply);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The calls that were answered since the last time. */
  takeServed(): ServedCall[] {
    this.requests.splice(0);
    return this.served.splice(0);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') return void response.end('{"data":[]}');
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as ChatRequest;
    this.requests.push(body);
    this.count += 1;
    const call = { inputTokens: BigInt(1_000 + this.count), outputTokens: BigInt(50 + (this.count % 50)) };
    const usage = {
      prompt_tokens: Number(call.inputTokens),
      completion_tokens: Number(call.outputTokens),
      total_tokens: Number(call.inputTokens + call.outputTokens),
    };
    const reply = this.reply(body);
    if (body.stream) await this.stream(reply, usage, response);
    else this.answer(reply, usage, response);
    this.served.push(call);
  }

  private callsOf(calls: Exclude<Reply, string>) {
    return calls.map(({ name, arguments: given }, index) => ({
      index,
      id: `call_${this.count}_${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(given) },
    }));
  }

  private answer(reply: Reply, usage: object, response: ServerResponse): void {
    const isText = typeof reply === 'string';
    const message = isText ? { content: reply } : { content: null, tool_calls: this.callsOf(reply) };
    const choice = {
      index: 0,
      message: { role: 'assistant', ...message },
      finish_reason: isText ? 'stop' : 'tool_calls',
    };
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ ...CHUNK, object: 'chat.completion', choices: [choice], usage }));
  }

  private async stream(reply: Reply, usage: object, response: ServerResponse): Promise<void> {
    const deltas: object[] = [{ role: 'assistant', content: '' }];
    if (typeof reply === 'string') {
      for (const content of reply.split(/(?<= |\n)/)) deltas.push({ content });
    } else {
      for (const call of this.callsOf(reply)) {
        const { arguments: given } = call.function;
        deltas.push({ tool_calls: [{ ...call, function: { ...call.function, arguments: '' } }] });
        // In pieces, as servers send them.
        for (let start = 0; start < given.length; start += 16)
          deltas.push({
            tool_calls: [{ index: call.index, function: { arguments: given.slice(start, start + 16) } }],
          });
      }
    }
    const finish = typeof reply === 'string' ? 'stop' : 'tool_calls';
    const choices = [
      ...deltas.map((delta) => ({ index: 0, delta, finish_reason: null })),
      { index: 0, delta: {}, finish_reason: finish },
    ];
    await sleep(SILENCE_MILLIS);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const chunk = { ...CHUNK, object: 'chat.completion.chunk' };
    for (const [index, choice] of choices.entries()) {
      if (index === choices.length - 2) await sleep(SILENCE_MILLIS);
      response.write(`data: ${JSON.stringify({ ...chunk, choices: [choice] })}\n\n`);
    }
    response.end(`data: ${JSON.stringify({ ...chunk, choices: [], usage })}\n\ndata: [DONE]\n\n`);
  }
}
