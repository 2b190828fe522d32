import { type TestAccount } from '@inference/testing';
import {
  type Gateway,
  PLENTY,
  RATES,
  type ScriptedUpstream,
  startGateway,
  startUpstream,
  testEnvironment,
  TestSite,
} from '../testing/gateway.fixture';
import { UpstreamLimits, UpstreamTicket } from './upstream-limits';

/** More calls than upstreams take, from one gateway first and then from three, of which one ends. */
const REQUESTS = 600;
const TOKENS = 60_000;
const CONCURRENCY = 20;
/** Of each gateway and upstream. */
const CLIENTS = 30;
const ALONE_SECONDS = 130;
const TOGETHER_SECONDS = 70;
const AFTER_SECONDS = 30;
/** In which one gateway alone reaches its part of a limit: the first minute begins with a burst. */
const REACHED_FROM_SECONDS = 65;
const MINUTE_MILLIS = 60_000;
const ANSWER_MILLIS = 3_000;
const ANSWER_TOKENS = 1_000;
const PROMPT_TOKENS = 20;
const LONGEST_WAIT_MILLIS = 500;

const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

interface Arrival {
  atMillis: number;
  tokens: number;
}

describe('upstreams with limits', () => {
  const arrivals: Record<string, Arrival[]> = { requests: [], tokens: [], running: [] };
  /** Of requests, before they are on their way. */
  const admissions: Arrival[] = [];
  const servers: ScriptedUpstream[] = [];
  let mostRunning = 0;
  let meanRunning = 0;
  let site: TestSite;
  let account: TestAccount;
  let gateways: Gateway[];

  beforeAll(async () => {
    const take = UpstreamLimits.prototype.take;
    jest.spyOn(UpstreamLimits.prototype, 'take').mockImplementation(async function (
      this: UpstreamLimits,
      model,
      size,
    ) {
      const taken = await take.call(this, model, size);
      if (model === 'requests' && taken instanceof UpstreamTicket)
        admissions.push({ atMillis: performance.now(), tokens: 0 });
      return taken;
    });
    let running = 0;
    let calls = 0;
    const serverOf = async (model: string) => {
      const server = await startUpstream((_request, response) => {
        // From half to one and a half of the mean.
        const part = 0.5 + ((calls++ * 7) % 11) / 10;
        const outputTokens = model === 'tokens' ? Math.round(ANSWER_TOKENS * part) : 2;
        const millis = model === 'requests' ? 0 : ANSWER_MILLIS * part;
        arrivals[model]!.push({ atMillis: performance.now(), tokens: PROMPT_TOKENS + outputTokens });
        if (model === 'running') mostRunning = Math.max(mostRunning, ++running);
        setTimeout(() => {
          if (model === 'running') {
            running--;
            meanRunning += millis;
          }
          const message = { role: 'assistant', content: 'ok' };
          const usage = { prompt_tokens: PROMPT_TOKENS, completion_tokens: outputTokens };
          response.writeHead(200, { 'Content-Type': 'application/json' });
          response.end(
            JSON.stringify({
              choices: [{ index: 0, message, finish_reason: 'stop' }],
              usage: { ...usage, total_tokens: PROMPT_TOKENS + outputTokens },
            }),
          );
        }, millis);
      });
      servers.push(server);
      return { name: model, base_url: server.url, models: [model] };
    };
    const upstreams = await Promise.all(Object.keys(arrivals).map(serverOf));
    site = await TestSite.start({ requests: RATES, tokens: RATES, running: RATES }, {}, () => upstreams);
    const environment = testEnvironment(site.database.urlFor('gateway'), upstreams);
    gateways = [site.gateway, await startGateway(environment), await startGateway(environment)];
    await site.pool.query(
      `UPDATE serving.upstreams SET requests_per_minute = CASE name WHEN 'requests' THEN $1::integer END,
         tokens_per_minute = CASE name WHEN 'tokens' THEN $2::integer END,
         concurrency = CASE name WHEN 'running' THEN $3::integer END`,
      [REQUESTS, TOKENS, CONCURRENCY],
    );
    await site.pool.query("SELECT pg_notify('serving', '')");
    await sleep(3_000);
    account = await site.account(PLENTY * 1_000n);
  });
  afterAll(async () => {
    await site.stop();
    for (const server of servers) await server.close();
  });

  function load({ url }: Gateway) {
    let isRunning = true;
    const client = async (model: string) => {
      while (isRunning) {
        const response = await fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.apiKey}` },
          body: JSON.stringify({ model, max_tokens: 2_000, messages: [{ role: 'user', content: 'Hello' }] }),
        });
        const text = await response.text();
        if (response.status === 200) continue;
        expect([response.status, text]).toEqual([429, expect.stringContaining('upstream_busy')]);
        const waitMillis = Number(response.headers.get('retry-after-ms'));
        await sleep(Math.min(waitMillis, LONGEST_WAIT_MILLIS) * (0.5 + Math.random()));
      }
    };
    const clients = Promise.all(
      Object.keys(arrivals).flatMap((model) => Array.from({ length: CLIENTS }, () => client(model))),
    );
    return async () => {
      isRunning = false;
      await clients;
    };
  }

  function mostInAMinute(of: Arrival[], weightOf: (one: Arrival) => number): number {
    let [most, sum, first] = [0, 0, 0];
    for (const one of of) {
      sum += weightOf(one);
      while (one.atMillis - of[first]!.atMillis >= MINUTE_MILLIS) sum -= weightOf(of[first++]!);
      most = Math.max(most, sum);
    }
    return most;
  }

  it('are never exceeded by gateways that come and go, and reached by one alone', async () => {
    const begin = performance.now();
    const stopFirst = load(gateways[0]!);
    await sleep(ALONE_SECONDS * 1000);
    const aloneMillis = performance.now() - begin;
    const meanAlone = meanRunning / aloneMillis;
    const isAlone = ({ atMillis }: Arrival) =>
      atMillis >= begin + REACHED_FROM_SECONDS * 1000 && atMillis < begin + aloneMillis;
    const minutes = (aloneMillis / 1000 - REACHED_FROM_SECONDS) / 60;
    const [requestsAlone, tokensAlone] = [
      arrivals.requests!.filter(isAlone).length / minutes,
      arrivals.tokens!.filter(isAlone).reduce((sum, { tokens }) => sum + tokens, 0) / minutes,
    ];
    const stops = gateways.slice(1).map(load);
    await sleep(TOGETHER_SECONDS * 1000);
    await stops[0]!();
    await gateways[1]!.close();
    await sleep(AFTER_SECONDS * 1000);
    await Promise.all([stopFirst(), stops[1]!()]);
    await gateways[2]!.close();
    const [requests, requestsAtServer, tokens] = [
      mostInAMinute(admissions, () => 1),
      mostInAMinute(arrivals.requests!, () => 1),
      mostInAMinute(arrivals.tokens!, (one) => one.tokens),
    ];
    process.stdout.write(
      `Limits of upstreams, worst minute of one and three gateways, and the mean of one alone: ${requests} (${requestsAtServer} as they arrive) ` +
        `and ${requestsAlone.toFixed(0)} of ${REQUESTS} requests, ${tokens} and ${tokensAlone.toFixed(0)} of ${TOKENS} tokens, ${mostRunning} and ${meanAlone.toFixed(1)} ` +
        `of ${CONCURRENCY} running calls\n`,
    );
    expect(requests).toBeLessThanOrEqual(REQUESTS);
    // The cores are busy.
    expect(requestsAtServer).toBeLessThan(REQUESTS * 1.05);
    expect(requestsAlone).toBeGreaterThan(REQUESTS * 0.85);
    // Answers that are longer than the mean are known when they end.
    expect(tokens).toBeLessThan(TOKENS * 1.1);
    expect(tokensAlone).toBeGreaterThan(TOKENS * 0.8);
    expect(mostRunning).toBeLessThanOrEqual(CONCURRENCY);
    // A client that was refused waits for a while, although there may be room.
    expect(meanAlone).toBeGreaterThan(CONCURRENCY * 0.5);
  });
});
