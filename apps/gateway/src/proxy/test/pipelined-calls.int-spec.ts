import { type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Metrics } from '@inference/http';
import { type TestAccount, valueOf, waitFor } from '@inference/testing';
import {
  eventsOf,
  RATES,
  type ScriptedUpstream,
  startUpstream,
  TestSite,
} from '../../testing/gateway.fixture';

/** Calls that a client sends on one connection without waiting for their answers. */

const MEBIBYTE = 1024 * 1024;
const CHAT = '/v1/chat/completions';
const EMBEDDINGS = '/v1/embeddings';
const LONG_ANSWER = `{"data":[${'{"embedding":[0.125,-1e-7]},'.repeat(300_000)}{}],"usage":{"prompt_tokens":7}}`;
const LAST = 'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\ndata: [DONE]\n\n';

let upstream: ScriptedUpstream;
let site: TestSite;
let account: TestAccount;
let client: Socket;
/** The streams that the upstream has begun. */
let streams: ServerResponse[];

beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    if (request.url === EMBEDDINGS) {
      response.setHeader('Content-Type', 'application/json');
      return void response.end(LONG_ANSWER);
    }
    response.setHeader('Content-Type', 'text/event-stream');
    response.write('data: {"choices":[{"delta":{"content":"word "}}]}\n\n');
    streams.push(response);
  });
  site = await TestSite.start(
    { 'sandbox-chat': RATES },
    { ANSWER_MEMORY_BYTES: String(16 * MEBIBYTE), CLIENT_STALL_TIMEOUT_SECONDS: '1' },
    () => [{ name: 'scripted', base_url: upstream.url, models: ['sandbox-chat'] }],
  );
});
afterAll(async () => {
  await site.stop();
  await upstream.close();
});
beforeEach(async () => {
  streams = [];
  account = await site.account();
  client = connect(Number(new URL(site.gateway.url).port), '127.0.0.1').on('error', () => undefined);
});
afterEach(() => client.destroy());

const call = (path: string, body: object) => {
  const json = JSON.stringify({ model: 'sandbox-chat', ...body });
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAuthorization: Bearer ${account.apiKey}`;
  return `${head}\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
};
const STREAM = { stream: true, messages: [{ role: 'user', content: 'x' }] };
const events = () => eventsOf(site.database.pool, account.accountId);
const heldBytes = async () =>
  valueOf(await site.gateway.app.get(Metrics).registry.metrics(), 'gateway_long_answer_bytes');

it('are made one after another, and charged each', async () => {
  let text = '';
  client.on('data', (chunk: Buffer) => (text += chunk.toString()));
  client.write(call(CHAT, STREAM).repeat(3));
  for (const count of [1, 2, 3]) {
    await waitFor(() => streams.length === count);
    // Longer than a client may read nothing of an answer whose turn it is.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(streams).toHaveLength(count);
    streams.at(-1)!.end(LAST);
  }
  await waitFor(() => text.split('[DONE]').length === 4);
  const charged = { outcome: 'completed', input_tokens: 7n, output_tokens: 2n };
  expect(await events()).toMatchObject([charged, charged, charged]);
});

it('are not made when their client has left before', async () => {
  client.write(call(CHAT, STREAM).repeat(3) + call(EMBEDDINGS, { input: 'x' }));
  await waitFor(() => streams.length === 1);
  client.destroy();
  await waitFor(async () => (await events()).length === 1);
  expect(await events()).toMatchObject([{ outcome: 'disconnected' }]);
  expect(streams).toHaveLength(1);
  expect(await heldBytes()).toBe(0);
  const other = await site.account();
  const answer = await site.post(EMBEDDINGS, other.apiKey, { model: 'sandbox-chat', input: 'x' });
  expect((await answer.text()).length).toBeGreaterThan(8_000_000);
});
