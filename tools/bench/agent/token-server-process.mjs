import http from 'node:http';
import zlib from 'node:zlib';
import { newToken } from './timestamp-tokens.mjs';

/**
 * A minimal server that streams timestamp tokens, one write for each token. Listens on PORT of loopback.
 *
 * FORMAT `events`: the events of the agent. FORMAT `completions`: the streamed chat completions of the gateway, as an
 * upstream of the agent. The message of a request is the id of its stream.
 *
 * A new stream is idle. `POST /_go?tokens=N` makes all streams produce N tokens, PER_SECOND a second, the streams spread
 * evenly over the time between two tokens. `GET /_produced` returns what the streams have produced, as
 * `{[stream]: [tokens, checksum]}`.
 *
 * @typedef {{ id: string, response: http.ServerResponse, tokens: number, checksum: number }} Stream
 */

const { PORT, FORMAT, PER_SECOND } = process.env;
/** Groups of streams that take turns between two tokens. */
const SLOTS = 10;
const SLOT_MILLIS = 1000 / Number(PER_SECOND) / SLOTS;

/** @param {string} choice JSON @param {string} more JSON properties */
const completionOf = (choice, more = '') =>
  `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"sandbox-chat","choices":[${choice}]${more}}\n\n`;

/**
 * @typedef {object} Format
 * @property {(stream: Stream) => string} begin
 * @property {(text: string, n: number) => string} token `n`: its number in the stream, from 1
 * @property {(n: number) => string} end `n`: the tokens of the stream
 */

/** @type {Record<'events' | 'completions', Format>} */
const FORMATS = {
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
const format = FORMAT === 'events' ? FORMATS.events : FORMATS.completions;

/** @type {Set<Stream>[]} */
const slots = Array.from({ length: SLOTS }, () => new Set());
/** @type {Record<string, [tokens: number, checksum: number]>} */
let produced = {};
let opened = 0;
let tokensEach = 0;

/** @param {string} body @param {http.ServerResponse} response */
function open(body, response) {
  const { content, messages } = JSON.parse(body);
  const stream = { id: content ?? messages.at(-1).content, response, tokens: 0, checksum: 0 };
  slots[opened++ % SLOTS]?.add(stream);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(format.begin(stream));
}

/** Produces one token for each stream of a slot. @param {Set<Stream>} slot */
function produce(slot) {
  for (const stream of slot) {
    const text = newToken();
    stream.tokens += 1;
    stream.checksum = zlib.crc32(text, stream.checksum);
    stream.response.write(format.token(text, stream.tokens));
    if (stream.tokens < tokensEach) continue;
    slot.delete(stream);
    produced[stream.id] = [stream.tokens, stream.checksum];
    stream.response.end(format.end(stream.tokens));
  }
}

/** Follows the clock: a late token does not delay the next ones. @param {number} tokens of each stream */
function go(tokens) {
  tokensEach = tokens;
  produced = {};
  const startedAt = performance.now();
  let turns = 0;
  const timer = setInterval(() => {
    const due = (performance.now() - startedAt) / SLOT_MILLIS;
    for (; turns < due; turns += 1) produce(slots[turns % SLOTS] ?? new Set());
    if (slots.every(({ size }) => size === 0)) clearInterval(timer);
  }, SLOT_MILLIS);
}

const server = http.createServer((request, response) => {
  const { url = '' } = request;
  if (url === '/healthz') response.end('ok');
  else if (url === '/_produced') response.end(JSON.stringify(produced));
  else if (url.startsWith('/_go?')) {
    response.end();
    go(Number(url.split('=')[1]));
  } else {
    let body = '';
    request.on('data', (chunk) => (body += chunk)).on('end', () => open(body, response));
  }
});

server.listen({ port: Number(PORT), host: '127.0.0.1', backlog: 4096 });
process.on('SIGTERM', () => process.exit(0));
