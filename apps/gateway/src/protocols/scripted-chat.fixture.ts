import { type ServerResponse } from 'node:http';
import { type ScriptedUpstream, startUpstream } from '../testing/gateway.fixture';

export type Fields = Record<string, unknown>;

/** What a chat server answers to the next request. */
export type ChatScript =
  | { json: object; status?: number; headers?: Record<string, string> }
  /** Chunks of a stream. `[DONE]` follows, or the connection breaks, or nothing follows. */
  | { chunks: object[]; isCut?: boolean; isHanging?: boolean };

export const USAGE = { prompt_tokens: 21, completion_tokens: 5, total_tokens: 26 };

/** A chunk of the only answer. */
export const chunk = (delta: Fields, finish: string | null = null, others: Fields = {}): Fields => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_790_000_000,
  model: 'upstream-model',
  choices: [{ index: 0, delta, finish_reason: finish, ...others }],
});

export const usageChunk = (usage: Fields = USAGE): Fields => ({ ...chunk({}), choices: [], usage });

/** A plain answer. */
export const answer = (message: Fields, finish = 'stop', usage: Fields | null = USAGE): Fields => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'upstream-model',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
  usage,
});

/** A chat server that gives the scripted answers one after another. */
export class ScriptedChat {
  private readonly scripts: ChatScript[] = [];
  private constructor(readonly upstream: ScriptedUpstream) {}

  static async start(): Promise<ScriptedChat> {
    const holder: { chat?: ScriptedChat } = {};
    const upstream = await startUpstream((_request, response) => holder.chat!.give(response));
    return (holder.chat = new ScriptedChat(upstream));
  }

  next(...scripts: ChatScript[]): void {
    this.scripts.push(...scripts);
  }

  /** The body of the last request. */
  get lastBody(): Fields {
    return JSON.parse(this.upstream.bodies.at(-1)!) as Fields;
  }

  private give(response: ServerResponse): void {
    const script = this.scripts.shift();
    if (!script) {
      response.writeHead(500).end('{"error":{"message":"no answer is scripted"}}');
      return;
    }
    if ('json' in script) {
      response
        .writeHead(script.status ?? 200, { 'Content-Type': 'application/json', ...script.headers })
        .end(JSON.stringify(script.json));
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (const part of script.chunks) response.write(`data: ${JSON.stringify(part)}\n\n`);
    if (script.isHanging) return;
    // What was written has to reach the client before.
    if (script.isCut) response.write(': the end\n\n', () => response.destroy());
    else response.end('data: [DONE]\n\n');
  }
}

/** The events of a stream: names and data. */
export function eventsIn(text: string): { event: string; data: Fields }[] {
  return text
    .split('\n\n')
    .filter((part) => part !== '')
    .map((part) => {
      const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(part) ?? [];
      if (event === '') throw new Error(`This is no event: ${part}`);
      return { event, data: JSON.parse(data) as Fields };
    });
}
