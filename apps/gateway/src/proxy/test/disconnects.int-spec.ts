import { request as httpRequest } from 'node:http';
import { estimateTokens } from '@inference/tokens';
import { type TestAccount, waitFor } from '@inference/testing';
import {
  costOf,
  eventsOf,
  type Gateway,
  RATES,
  startGateway,
  testEnvironment,
  TestSite,
  walletOf,
} from '../../testing/gateway.fixture';

/** Clients that disconnect, and a gateway that shuts down, during a request. */

const PROMPT = [{ role: 'user', content: 'Say something about the sea.' }];
const PROMPT_TOKENS = 9;
const PROMPT_WORDS = 5;
const LONG = 'sandbox-chat+tokens=60+delay=100';
const LATE = 'sandbox-chat+first-delay=3000';
/** More output than the socket buffers between upstream and client hold. */
const ENDLESS_TOKENS = 100_000;
const ENDLESS = `sandbox-chat+tokens=${ENDLESS_TOKENS}+delay=0`;

const MODELS = { 'sandbox-chat': RATES, [LONG]: RATES, [LATE]: RATES, [ENDLESS]: RATES };

let site: TestSite;
let account: TestAccount;

beforeAll(async () => {
  site = await TestSite.start(MODELS);
});
beforeEach(async () => {
  account = await site.account();
});
afterAll(() => site.stop());

function chat(
  body: { model: string; stream?: boolean },
  signal?: AbortSignal,
  of = account,
): Promise<Response> {
  const whole = { messages: PROMPT, max_tokens: 60, ...body };
  return site.post('/v1/chat/completions', of.apiKey, whole, signal ? { signal } : {});
}

/** Starts a request, and disconnects as soon as the upstream processes it. */
async function leaveEarly(body: { model: string; stream?: boolean }, of = account): Promise<void> {
  const client = new AbortController();
  const before = site.engine.served().requests;
  const response = chat(body, client.signal, of);
  await waitFor(() => site.engine.served().requests > before);
  client.abort();
  await expect(response).rejects.toThrow();
}

function contentOf(text: string): string {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map(
      (event) => JSON.parse(event.slice('data: '.length)) as { choices: { delta: { content?: string } }[] },
    )
    .map(({ choices }) => choices[0]?.delta.content ?? '')
    .join('');
}

/** Reads until this many events have arrived. */
async function readEvents(response: Response, count: number): Promise<string> {
  const decoder = new TextDecoder();
  const reader = response.body!.getReader();
  let text = '';
  while (text.split('\n\n').length <= count) {
    const { value, done } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  return text.slice(0, text.lastIndexOf('\n\n') + 2);
}

it('bills the produced tokens of a stream whose client disconnects, and aborts the upstream request', async () => {
  const { aborted: abortedBefore, completion_tokens: tokensBefore } = site.engine.served();
  const client = new AbortController();
  const text = await readEvents(await chat({ model: LONG, stream: true }, client.signal), 6);
  client.abort();
  const event = await site.onlyEvent(account);
  await waitFor(() => site.engine.served().aborted > abortedBefore);
  expect(event).toMatchObject({ outcome: 'disconnected', estimated: true });
  expect(event.output_tokens).toBeGreaterThanOrEqual(estimateTokens(contentOf(text)));
  const produced = site.engine.served().completion_tokens - tokensBefore;
  expect(produced).toBeLessThan(60);
  // The engine counts words. The gateway counts tokens of a vocabulary in which a rare word is two tokens.
  expect(Number(event.output_tokens)).toBeLessThanOrEqual(2 * produced);
  await site.expectCharged(account, costOf(RATES, Number(event.input_tokens), Number(event.output_tokens)));
});

it('releases the rest of the hold when the client disconnects', async () => {
  const body = { messages: PROMPT, max_tokens: 60, model: LONG, stream: true };
  const bound = costOf(RATES, Buffer.byteLength(JSON.stringify(body)), 60);
  const poor = await site.account(bound + bound / 2n);
  const client = new AbortController();
  await readEvents(await chat({ model: LONG, stream: true }, client.signal, poor), 4);
  expect((await chat({ model: LONG, stream: true }, undefined, poor)).status).toBe(402);
  client.abort();
  const { cost_picos: cost } = await site.onlyEvent(poor);
  expect(cost).toBeLessThan(bound / 2n);
  // The event is in the database shortly before the gateway has its confirmation.
  await waitFor(async () => (await chat({ model: 'sandbox-chat' }, undefined, poor)).status === 200);
});

it('aborts a stream whose client stops reading, and bills the produced tokens', async () => {
  const upstreams = [{ name: 'engine', base_url: `${site.engine.url}/v1` }];
  const environment = testEnvironment(site.database.urlFor('gateway'), upstreams);
  const impatient = await startGateway({ ...environment, CLIENT_STALL_TIMEOUT_SECONDS: '0.5' });
  const request = httpRequest(`${impatient.url}/v1/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.apiKey}` },
  });
  // The response is never read.
  request.on('response', (response) => response.pause().on('error', () => undefined));
  request.end(JSON.stringify({ messages: PROMPT, max_tokens: ENDLESS_TOKENS, model: ENDLESS, stream: true }));
  const event = await site.onlyEvent(account).finally(() => impatient.close());
  request.destroy();
  expect(event).toMatchObject({ outcome: 'disconnected', estimated: true });
  expect(event.output_tokens).toBeLessThan(ENDLESS_TOKENS);
  await site.expectCharged(account, costOf(RATES, Number(event.input_tokens), Number(event.output_tokens)));
});

it.each([true, false])(
  'releases the rest of the hold when the client leaves early (stream: %s)',
  async (stream) => {
    const body = { messages: PROMPT, max_tokens: 60, model: LATE, stream };
    const bound = costOf(RATES, Buffer.byteLength(JSON.stringify(body)), 60);
    const poor = await site.account(2n * bound);
    const { aborted: abortedBefore } = site.engine.served();
    await leaveEarly({ model: LATE, stream }, poor);
    await waitFor(() => site.engine.served().aborted > abortedBefore);
    const { cost_picos: cost } = await site.onlyEvent(poor);
    await waitFor(async () => (await chat({ model: 'sandbox-chat' }, undefined, poor)).status === 200);
    await site.expectCharged(poor, cost + costOf(RATES, PROMPT_TOKENS, 60), 2n * bound);
  },
);

describe('a gateway that shuts down', () => {
  const withGateway = async (
    work: (gateway: Gateway) => Promise<void>,
    expected: { outcome: string; output_tokens: bigint },
  ) => {
    const upstreams = [{ name: 'engine', base_url: `${site.engine.url}/v1` }];
    const gateway = await startGateway(testEnvironment(site.database.urlFor('gateway'), upstreams));
    await work(gateway).finally(() => gateway.close());
    const events = await eventsOf(site.pool, account.accountId);
    expect(events).toMatchObject([expected]);
    expect(Number(events[0]!.input_tokens)).toBeGreaterThanOrEqual(PROMPT_WORDS);
    expect(await walletOf(site.pool, account.accountId)).toMatchObject({ leased: 0n, leases: 0n });
    await site.expectCharged(account, events[0]!.cost_picos);
  };
  const streamFrom = (gateway: Gateway) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.apiKey}` },
      body: JSON.stringify({ messages: PROMPT, max_tokens: 60, model: LONG, stream: true }),
    });

  it('finishes streams, bills them and returns every lease', async () => {
    await withGateway(
      async (gateway) => {
        const response = await streamFrom(gateway);
        const closed = gateway.close();
        expect((await response.text()).endsWith('data: [DONE]\n\n')).toBe(true);
        await closed;
      },
      { outcome: 'completed', output_tokens: 60n },
    );
  });

  it.each([true, false])('charges the prompt of a client that has just left (stream: %s)', async (stream) => {
    await withGateway(
      async (gateway) => {
        const { requests } = site.engine.served();
        // Without keep-alive, so that no open connection of this client delays the shutdown.
        const request = httpRequest(`${gateway.url}/v1/chat/completions`, {
          method: 'POST',
          agent: false,
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.apiKey}` },
        });
        request.on('error', () => undefined);
        request.end(JSON.stringify({ messages: PROMPT, max_tokens: 60, model: LATE, stream }));
        await waitFor(() => site.engine.served().requests > requests);
        request.destroy();
        await gateway.close();
      },
      { outcome: 'disconnected', output_tokens: 0n },
    );
  });
});
