import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** The model of the server. */
export const NATIVE_MODEL = 'native-model';

/** Of the answers to longer requests no usage is reported: the gateway then counts the prompt itself, which is the more work. */
const MOST_REPORTED_BYTES = 2 ** 20;
const STREAMED = Buffer.from('"stream":true');
const TEXT = 'A book of entries.';
const USAGE = { input_tokens: 9, output_tokens: 5 };

/** In the form of the platform's own ids: responses are stored under that of the server. */
const newId = (prefix: string) => `${prefix}_${randomBytes(11).toString('hex')}`;

type Json = Record<string, unknown>;
type AnswerOf = (request: Buffer) => { whole: Json; events: Json[] };

const MESSAGES: AnswerOf = ({ length }) => {
  const cached = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const usage = length > MOST_REPORTED_BYTES ? {} : { usage: { ...USAGE, ...cached } };
  const content = { type: 'text', text: TEXT };
  const begun = { id: newId('msg'), type: 'message', role: 'assistant', model: NATIVE_MODEL };
  const end = { stop_reason: 'end_turn', stop_sequence: null };
  return {
    whole: { ...begun, content: [content], ...end, ...usage },
    events: [
      {
        type: 'message_start',
        message: { ...begun, content: [], stop_reason: null, stop_sequence: null, ...usage },
      },
      { type: 'content_block_start', index: 0, content_block: { ...content, text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: end, ...usage },
      { type: 'message_stop' },
    ],
  };
};

const RESPONSES: AnswerOf = ({ length }) => {
  const usage = length > MOST_REPORTED_BYTES ? null : { ...USAGE, total_tokens: 14 };
  const part = { type: 'output_text', text: TEXT, annotations: [] };
  const item = { id: newId('msg'), type: 'message', role: 'assistant', status: 'completed', content: [part] };
  const begun = { id: newId('resp'), object: 'response', created_at: 1_790_000_000, model: NATIVE_MODEL };
  const whole = { ...begun, status: 'completed', output: [item], store: false, usage };
  const at = { item_id: item.id, output_index: 0, content_index: 0 };
  return {
    whole,
    events: [
      { type: 'response.created', response: { ...whole, status: 'in_progress', output: [], usage: null } },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: { ...item, status: 'in_progress', content: [] },
      },
      { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
      { type: 'response.output_text.delta', ...at, delta: TEXT },
      { type: 'response.output_text.done', ...at, text: TEXT },
      { type: 'response.content_part.done', ...at, part },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: whole },
    ].map((event, sequence) => ({ ...event, sequence_number: sequence })),
  };
};

const ANSWERS: Record<string, AnswerOf> = {
  '/v1/messages': MESSAGES,
  '/v1/messages/count_tokens': () => ({ whole: { input_tokens: USAGE.input_tokens }, events: [] }),
  '/v1/responses': RESPONSES,
};

/** A server of a model that speaks Messages and Responses, and gives every request the same short answer. */
export interface NativeServer {
  /** Of its API. */
  url: string;
  /** The paths of what it has answered. */
  answered: ReadonlySet<string>;
  stop(): void;
}

export async function startNativeServer(): Promise<NativeServer> {
  const answered = new Set<string>();
  const server = createServer((request, response) => {
    response.once('finish', () => response.statusCode === 200 && answered.add(request.url!));
    void answer(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    answered,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    // The gateway has left.
    return;
  }
  const send = (status: number, body: Json) =>
    void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  if (request.url === '/v1/models') return send(200, { object: 'list', data: [{ id: NATIVE_MODEL }] });
  const answerOf = ANSWERS[request.url!];
  if (!answerOf)
    return send(404, { type: 'error', error: { type: 'not_found_error', message: 'Not found' } });
  const body = Buffer.concat(chunks);
  const { whole, events } = answerOf(body);
  if (events.length === 0 || !body.includes(STREAMED)) return send(200, whole);
  const text = events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`);
  response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(text.join(''));
}
