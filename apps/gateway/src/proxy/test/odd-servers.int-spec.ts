import { type ServerResponse } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { type TestAccount } from '@inference/testing';
import { costOf, RATES, type ScriptedUpstream, startUpstream, TestSite } from '../../testing/gateway.fixture';

/** Answers as servers of models, and proxies before them, really send them. */

const MARK = '\ufeff';
const COST = costOf(RATES, 12, 3);
const USAGE = '"usage":{"prompt_tokens":12,"completion_tokens":3,"total_tokens":15}';
const PLAIN = `{"choices":[{"index":0,"message":{"content":"one two three"},"finish_reason":"stop"}],${USAGE}}`;
const chunk = (delta: string, finish = 'null') =>
  `{"choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]}`;
const CHUNKS = [
  chunk('{"content":"one "}'),
  chunk('{"content":"two three"}'),
  chunk('{}', '"stop"'),
  `{"choices":[],${USAGE}}`,
];
const STREAM = [...CHUNKS, '[DONE]'].map((data) => `data: ${data}\n\n`).join('');

let site: TestSite;
let upstream: ScriptedUpstream;
let account: TestAccount;
let answer: (response: ServerResponse) => void;

const send =
  (headers: Record<string, string>, body: string | Buffer) =>
  (response: ServerResponse): void => {
    response.writeHead(200, headers).end(body);
  };

beforeAll(async () => {
  upstream = await startUpstream((_request, response) => answer(response));
  site = await TestSite.start({ m: RATES }, {}, () => [{ name: 'odd', base_url: upstream.url }]);
});
beforeEach(async () => {
  account = await site.account();
});
afterAll(async () => {
  await site.stop();
  await upstream.close();
});

async function ask(stream: boolean): Promise<Response> {
  const body = {
    model: 'm',
    messages: [],
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
  };
  return site.post('/v1/chat/completions', account.apiKey, body);
}

/** The content of the events, and how often each `[DONE]` and usage comes. */
function readStream(text: string) {
  const data = text
    .split('\n\n')
    .flatMap((event) => (event.startsWith('data') ? [event.replace(/^data: ?/gm, '')] : []));
  const chunks = data
    .filter((one) => one !== '[DONE]')
    .map(
      (one) => JSON.parse(one) as { choices: { delta: { content?: string } }[]; usage?: { cost?: number } },
    );
  return {
    content: chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''),
    costs: chunks.flatMap(({ usage }) => (usage ? [usage.cost] : [])),
    done: data.filter((one) => one === '[DONE]').length,
  };
}
const READ = { content: 'one two three', costs: [Number(COST) / 1e12], done: 1 };

it.each<[string, Record<string, string>, string | Buffer]>([
  ['bare CRs', {}, STREAM.replaceAll('\n', '\r')],
  ['CRLFs', {}, STREAM.replaceAll('\n', '\r\n')],
  ['a byte order mark', {}, MARK + STREAM],
  ['no space behind the colon', {}, STREAM.replaceAll('data: ', 'data:')],
  ['two spaces behind the colon', {}, STREAM.replaceAll('data: {', 'data:  {')],
  ['comments', {}, STREAM.replaceAll('data: ', ': ping\n\ndata: ')],
  [
    'several lines of data',
    {},
    STREAM.replaceAll(',"choices"', '\ndata: ,"choices"')
      .replaceAll(',"delta"', ',\ndata: "delta"')
      .replaceAll(',"completion', '\ndata: ,"completion'),
  ],
  ['another case of its type', { 'Content-Type': 'Text/Event-Stream' }, STREAM],
  ['parameters of its type', { 'Content-Type': 'text/event-stream ;charset="UTF-8"; x=y' }, STREAM],
  ['gzip', { 'Content-Encoding': 'gzip' }, gzipSync(STREAM)],
  ['another name of gzip', { 'Content-Encoding': 'X-Gzip' }, gzipSync(STREAM)],
  ['deflate', { 'Content-Encoding': 'deflate' }, deflateSync(STREAM)],
  ['deflate without its frame', { 'Content-Encoding': 'deflate' }, deflateRawSync(STREAM)],
  ['br', { 'Content-Encoding': 'br' }, brotliCompressSync(STREAM)],
  ['two codings', { 'Content-Encoding': 'identity, gzip, br' }, brotliCompressSync(gzipSync(STREAM))],
])('reads a stream with %s', async (_title, headers, body) => {
  answer = send({ 'Content-Type': 'text/event-stream', ...headers }, body);
  const response = await ask(true);
  expect(response.headers.get('content-encoding')).toBeNull();
  expect(readStream(await response.text())).toEqual(READ);
  await site.expectCharged(account, COST);
  expect(upstream.headers.at(-1)).toMatchObject({ 'accept-encoding': 'identity' });
});

it.each<[string, Record<string, string>, string | Buffer]>([
  ['a byte order mark', {}, MARK + PLAIN],
  ['another case of its type', { 'Content-Type': 'Application/JSON' }, PLAIN],
  ['empty lines before it', {}, `\n \r\n${PLAIN}`],
  ['gzip', { 'Content-Encoding': 'gzip' }, gzipSync(PLAIN)],
  ['br', { 'Content-Encoding': 'br' }, brotliCompressSync(PLAIN)],
])('reads a plain answer with %s', async (_title, headers, body) => {
  answer = send({ 'Content-Type': 'application/json', ...headers }, body);
  const response = await ask(false);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await response.json()).toMatchObject({ usage: { cost: Number(COST) / 1e12 } });
  const message = await site.post('/v1/messages', account.apiKey, {
    model: 'm',
    messages: [{ role: 'user', content: 'x' }],
    max_tokens: 8,
  });
  expect(await message.json()).toMatchObject({ content: [{ text: 'one two three' }] });
  await site.expectCharged(account, 2n * COST);
});

it.each<[string, Record<string, string>, string | Buffer]>([
  ['a coding that is not known', { 'Content-Encoding': 'zopfli' }, PLAIN],
  ['a coding that it does not have', { 'Content-Encoding': 'gzip' }, PLAIN],
  ['an end that is missing', { 'Content-Encoding': 'gzip' }, gzipSync(PLAIN).subarray(0, 40)],
])('counts %s as a failure of the server', async (_title, headers, body) => {
  answer = send({ 'Content-Type': 'application/json', ...headers }, body);
  expect((await ask(false)).status).toBe(502);
  await site.expectCharged(account, 0n);
});

it.each<[string, string[]]>([
  [
    'before the last texts',
    [chunk('{"content":"one "}'), chunk('{}', '"stop"'), chunk('{"content":"two three"}')],
  ],
  [
    'in each chunk',
    [
      chunk('{"content":"one "}', '"stop"'),
      chunk('{"content":"two "}', '"stop"'),
      chunk('{"content":"three"}', '"stop"'),
    ],
  ],
])('passes texts on as they come behind a finish_reason %s', async (_title, chunks) => {
  let goOn = () => undefined as void;
  answer = (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (const data of chunks) response.write(`data: ${data}\n\n`);
    // Until the client has the texts, so that they do not wait for the end.
    goOn = () => void response.end(`data: {"choices":[],${USAGE}}\n\ndata: [DONE]\n\n`);
  };
  const reader = (await ask(true)).body!.getReader();
  let text = '';
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    text += Buffer.from(read.value).toString();
    if (text.includes('two')) goOn();
  }
  expect(readStream(text)).toEqual(READ);
  await site.expectCharged(account, COST);
});
