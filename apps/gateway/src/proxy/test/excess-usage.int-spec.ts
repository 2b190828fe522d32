import { type ServerResponse } from 'node:http';
import { type UnitRate } from '@inference/metering';
import { metricsOf, valueOf, waitFor } from '@inference/testing';
import {
  costOf,
  eventsOf,
  type ScriptedUpstream,
  startUpstream,
  TestSite,
  walletOf,
} from '../../testing/gateway.fixture';

/** Upstreams that exceed the requested limits, or report their usage incompletely. */

const RATES: UnitRate[] = [{ unit: 'per_million_output_tokens', ratePicos: 1_000_000n }];
const MAX_TOKENS = 2;
const SET_ASIDE = costOf(RATES, 0, MAX_TOKENS);
const MODELS = ['chatty', 'waiting', 'endless', 'early', 'audio', 'error-only'];

let site: TestSite;
let upstream: ScriptedUpstream;
/** Lets the model answer that waits for it. */
let goOn: (() => void) | undefined;

const delta = (fields: object, more: object = {}) => ({ choices: [{ index: 0, delta: fields, ...more }] });
const words = (count: number) => Array.from({ length: count }, (_, i) => delta({ content: ` word${i}` }));
const usage = (completion: number) => ({ usage: { prompt_tokens: 0, completion_tokens: completion } });

function stream(response: ServerResponse, chunks: object[], isBroken: boolean): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  if (isBroken) setTimeout(() => response.destroy(), 50);
  else response.end('data: [DONE]\n\n');
}

const SCRIPTS: Record<string, (response: ServerResponse, isStream: boolean) => void> = {
  chatty: (response, isStream) => {
    if (isStream) return stream(response, [...words(500), { choices: [], ...usage(500) }], false);
    const message = { role: 'assistant', content: 'x' };
    response.setHeader('Content-Type', 'application/json');
    return void response.end(JSON.stringify({ choices: [{ index: 0, message }], ...usage(500) }));
  },
  waiting: (response) => {
    goOn = () => SCRIPTS.chatty!(response, false);
  },
  endless: (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const timer = setInterval(() => response.write(`data: ${JSON.stringify(words(1)[0])}\n\n`), 2);
    response.on('close', () => clearInterval(timer));
  },
  early: (response) => stream(response, [{ ...delta({ content: '' }), ...usage(0) }, ...words(5)], true),
  audio: (response) => stream(response, [delta({ audio: { data: 'AAAA' } })], true),
  'error-only': (response) => void response.end(JSON.stringify({ error: { message: 'boom' } })),
};

beforeAll(async () => {
  upstream = await startUpstream((_request, response, body) => {
    const { model, stream: isStream = false } = JSON.parse(body) as { model: string; stream?: boolean };
    SCRIPTS[model]!(response, isStream);
  });
  site = await TestSite.start(Object.fromEntries(MODELS.map((model) => [model, RATES])), {}, () => [
    { name: 'scripted', base_url: upstream.url },
  ]);
});
afterAll(async () => {
  await site.stop();
  await upstream.close();
});

const chat = (apiKey: string, model: string, more: object = {}) =>
  site.post('/v1/chat/completions', apiKey, {
    model,
    messages: [{ role: 'user', content: 'Hello' }],
    max_tokens: MAX_TOKENS,
    ...more,
  });

it('charges all served tokens if the wallet covers them', async () => {
  const account = await site.account(costOf(RATES, 0, 1_000));
  expect((await chat(account.apiKey, 'chatty')).status).toBe(200);
  expect(await site.onlyEvent(account)).toMatchObject({ output_tokens: 500n, estimated: false });
});

it('charges the hold if the wallet does not cover the rest, and tells the operator', async () => {
  const account = await site.account(SET_ASIDE);
  const told = async () =>
    valueOf(await metricsOf(site.gateway.app), 'gateway_uncovered_calls_total{upstream="scripted"}') ?? 0;
  const before = await told();
  expect((await chat(account.apiKey, 'chatty')).status).toBe(200);
  expect(await site.onlyEvent(account)).toMatchObject({ output_tokens: BigInt(MAX_TOKENS), estimated: true });
  expect((await walletOf(site.pool, account.accountId)).balance).toBe(0n);
  expect(await told()).toBe(before + 1);
  expect((await chat(account.apiKey, 'chatty')).status).toBe(402);
});

it('leaves a call free if nothing covers it, and keeps what it cost', async () => {
  await site.publishCostPrices('scripted', [['waiting', 'per_request', 7]]);
  const account = await site.account(SET_ASIDE);
  const answer = chat(account.apiKey, 'waiting');
  await waitFor(() => goOn);
  // As if the gateway had been away for so long that others could spend what was set aside.
  await site.pool.query('DELETE FROM wallet.leases WHERE account_id = $1', [account.accountId]);
  const emptied = 'UPDATE wallet.wallets SET (balance_picos, leased_picos) = (0, 0) WHERE account_id = $1';
  await site.pool.query(emptied, [account.accountId]);
  goOn!();
  const response = await answer;
  expect([response.status, await response.json()]).toEqual([
    402,
    { error: expect.objectContaining({ code: 'insufficient_balance' }) as object },
  ]);
  expect(await eventsOf(site.pool, account.accountId)).toEqual([]);
  expect(await site.unchargedCosts(account)).toEqual([7n]);
});

it('aborts a stream that exceeds its token limit', async () => {
  const account = await site.account(SET_ASIDE);
  const text = await (await chat(account.apiKey, 'endless', { stream: true })).text();
  expect(text).not.toContain('[DONE]');
  expect(await site.onlyEvent(account)).toMatchObject({ outcome: 'interrupted', cost_picos: SET_ASIDE });
});

it('does not treat an early usage report as final if the stream breaks later', async () => {
  const account = await site.account();
  await (await chat(account.apiKey, 'early', { stream: true, max_tokens: 100 })).text();
  const { output_tokens: tokens, estimated } = await site.onlyEvent(account);
  expect(tokens).toBeGreaterThanOrEqual(5n);
  expect(estimated).toBe(true);
});

it('bills a broken stream whose deltas hold no text', async () => {
  const account = await site.account();
  await (await chat(account.apiKey, 'audio', { stream: true })).text();
  expect(await site.onlyEvent(account)).toMatchObject({ outcome: 'interrupted' });
});

it('treats status 200 with only an error in the body as a failure', async () => {
  const account = await site.account();
  expect((await chat(account.apiKey, 'error-only')).status).toBe(502);
  expect((await walletOf(site.pool, account.accountId)).rolled_up).toBe(0n);
});

it('refuses a body that cannot be rewritten with 400, without marking an upstream as failed', async () => {
  const account = await site.account();
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const body = `{"model":"chatty","messages":[],"max_tokens":null,"z":${deep}}`;
  expect((await site.post('/v1/chat/completions', account.apiKey, body)).status).toBe(400);
});

it("respects llama.cpp's name of the token limit", async () => {
  const account = await site.account(SET_ASIDE);
  expect((await chat(account.apiKey, 'chatty', { n_predict: 1_000 })).status).toBe(402);
});
