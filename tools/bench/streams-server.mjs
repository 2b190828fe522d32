import http from 'node:http';
import zlib from 'node:zlib';
import { stamp } from './stream-clock.mjs';

/**
 * A bare Node server that streams text, one token a write. Listens on PORT, loopback only.
 *
 * SPEAKS `events`: the frames that the agent sends. `completions`: the streamed chat completions of the gateway, for an
 * agent to ask. Each request is told by its message which stream it is.
 *
 * The streams are opened first and say nothing; `POST /_go?tokens=N` lets all of them produce N tokens each, PER_SECOND a
 * second, the streams spread evenly over the time between two tokens. Each token says when it was produced.
 * `GET /_produced`: what each of those streams has said, as `{[stream]: [tokens, checksum]}`.
 */

const { PORT, SPEAKS, PER_SECOND } = process.env;
/** How many groups of streams take turns between two tokens. */
const SLOTS = 10;
const SLOT_MILLIS = 1000 / Number(PER_SECOND) / SLOTS;

const completionOf = (choice, more = '') =>
  `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"sandbox-chat","choices":[${choice}]${more}}\n\n`;

const DIALECTS = {
  events: {
    begin: ({ id }) => `event: turn.started\nid: 1.1\nretry: 1000\ndata: {"turn_id":"${id}"}\n\n`,
    token: (text, n) => `event: delta\nid: 1.${n + 1}\ndata: {"content":"${text}"}\n\n`,
    end: (n) => `event: turn.completed\nid: 1.${n + 2}\ndata: {}\n\n`,
  },
  completions: {
    begin: () => completionOf('{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}'),
    token: (text) => completionOf(`{"index":0,"delta":{"content":"${text}"},"finish_reason":null}`),
    end: (n) =>
      completionOf('{"index":0,"delta":{},"finish_reason":"stop"}') +
      completionOf('', `,"usage":{"prompt_tokens":5,"completion_tokens":${n},"total_tokens":${n + 5}}`) +
      'data: [DONE]\n\n',
  },
};
const dialect = DIALECTS[SPEAKS];

const slots = Array.from({ length: SLOTS }, () => new Set());
let produced = {};
let opened = 0;
let tokensEach = 0;

function open(body, response) {
  const { content, messages } = JSON.parse(body);
  const stream = { id: content ?? messages.at(-1).content, response, tokens: 0, checksum: 0 };
  slots[opened++ % SLOTS].add(stream);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(dialect.begin(stream));
}

function produce(slot) {
  for (const stream of slot) {
    const text = stamp();
    stream.tokens += 1;
    stream.checksum = zlib.crc32(text, stream.checksum);
    stream.response.write(dialect.token(text, stream.tokens));
    if (stream.tokens < tokensEach) continue;
    slot.delete(stream);
    produced[stream.id] = [stream.tokens, stream.checksum];
    stream.response.end(dialect.end(stream.tokens));
  }
}

/** Keeps to the clock: what comes late does not put off what comes after it. */
function go(tokens) {
  tokensEach = tokens;
  produced = {};
  const startedAt = performance.now();
  let turns = 0;
  const timer = setInterval(() => {
    const due = (performance.now() - startedAt) / SLOT_MILLIS;
    for (; turns < due; turns += 1) produce(slots[turns % SLOTS]);
    if (slots.every(({ size }) => size === 0)) clearInterval(timer);
  }, SLOT_MILLIS);
}

const server = http.createServer((request, response) => {
  if (request.url === '/healthz') return response.end('ok');
  if (request.url === '/_produced') return response.end(JSON.stringify(produced));
  if (request.url.startsWith('/_go?')) {
    response.end();
    return go(Number(request.url.split('=')[1]));
  }
  let body = '';
  request.on('data', (chunk) => (body += chunk)).on('end', () => open(body, response));
});

server.listen({ port: Number(PORT), host: '127.0.0.1', backlog: 4096 });
process.on('SIGTERM', () => process.exit(0));
