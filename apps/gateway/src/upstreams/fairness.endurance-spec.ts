import { type ServerResponse } from 'node:http';
import { type TestAccount, waitFor } from '@inference/testing';
import {
  type Gateway,
  RATES,
  type ScriptedUpstream,
  startGateway,
  startUpstream,
  testEnvironment,
  TestSite,
} from '../testing/gateway.fixture';
import { ServingDirectory } from './directory.service';

/** One account that calls a hundred times as often as each of fifty others, at a server that takes fewer calls than they make. */
const SMALL_ACCOUNTS = 50;
const SMALL_CALLS_PER_SECOND = 0.4;
const TIMES = 100;
const ANSWER_MILLIS = 500;
const SLOTS = 30;
const SECONDS = 40;
/** The shares follow what was used in the seconds before. */
const SETTLING_SECONDS = 15;
const MOST_ADDED = 0.1;
/** Two servers and their models. */
const FULL = 'full';
const ROOMY = 'roomy';
const PLENTY_PICOS = 10n ** 15n;

const ANSWER = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
});
const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

function answer(response: ServerResponse, onEnd?: () => void): void {
  setTimeout(() => {
    onEnd?.();
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(ANSWER);
  }, ANSWER_MILLIS);
}

describe.each([1, 2])('a server that is full, behind %i gateways', (count) => {
  let server: ScriptedUpstream;
  let roomy: ScriptedUpstream;
  let site: TestSite;
  let gateways: Gateway[];
  let turn = 0;
  let large: TestAccount;
  let small: TestAccount[];
  let running = 0;
  let mostRunning = 0;

  beforeAll(async () => {
    server = await startUpstream((_request, response) => {
      mostRunning = Math.max(mostRunning, ++running);
      answer(response, () => running--);
    });
    roomy = await startUpstream((_request, response) => answer(response));
    const upstreams = [
      { name: FULL, base_url: server.url, models: [FULL] },
      { name: ROOMY, base_url: roomy.url, models: [ROOMY] },
    ];
    site = await TestSite.start({ [FULL]: RATES, [ROOMY]: RATES }, {}, () => upstreams);
    gateways = [site.gateway];
    while (gateways.length < count)
      gateways.push(await startGateway(testEnvironment(site.database.urlFor('gateway'), upstreams)));
    await site.pool.query('UPDATE serving.upstreams SET concurrency = $1 WHERE name = $2', [SLOTS, FULL]);
    await site.pool.query("SELECT pg_notify('serving', '')");
    const rooms = () =>
      gateways.map(({ app }) => {
        const { upstreams } = app.get(ServingDirectory);
        return upstreams.find(({ name }) => name === FULL)?.limits?.roomFor('running', 0) ?? 0;
      });
    await waitFor(() => rooms().every((room) => room > 0));
    large = await site.account(PLENTY_PICOS);
    small = await Promise.all(Array.from({ length: SMALL_ACCOUNTS }, () => site.account(PLENTY_PICOS)));
  });
  afterAll(async () => {
    for (const gateway of gateways.slice(1)) await gateway.close();
    await site.stop();
    await server.close();
    await roomy.close();
  });

  const post = ({ apiKey }: TestAccount, model: string) =>
    fetch(`${gateways[turn++ % count]!.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ model, max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] }),
    });

  /** Tries again after each refusal, as the official clients do. Returns the time to the answer, and how often it was refused. */
  async function call(account: TestAccount): Promise<{ millis: number; refusals: number }> {
    const start = performance.now();
    for (let refusals = 0; ; refusals++) {
      const response = await post(account, FULL);
      const text = await response.text();
      if (response.status === 200) return { millis: performance.now() - start, refusals };
      expect([response.status, text]).toEqual([429, expect.stringContaining('upstream_busy')]);
      await sleep(Number(response.headers.get('retry-after-ms')));
    }
  }

  /** Sends calls at a steady rate, whether others have ended or not. Returns what those after the beginning have returned. */
  async function steadily<T>(callsPerSecond: number, offset: number, send: () => Promise<T>): Promise<T[]> {
    const pauseMillis = 1_000 / callsPerSecond;
    const start = performance.now() + offset * pauseMillis;
    const counted: Promise<T>[] = [];
    const all: Promise<T>[] = [];
    for (let millis = 0; millis < SECONDS * 1_000; millis += pauseMillis) {
      await sleep(Math.max(0, start + millis - performance.now()));
      const sent = send();
      // Judged at the end.
      sent.catch(() => undefined);
      all.push(sent);
      if (millis >= SETTLING_SECONDS * 1_000) counted.push(sent);
    }
    await Promise.all(all);
    return Promise.all(counted);
  }

  const callSmall = async () => {
    const results = small.map((account, index) =>
      steadily(SMALL_CALLS_PER_SECOND, index / SMALL_ACCOUNTS, () => call(account)),
    );
    return (await Promise.all(results)).flat();
  };
  const callLarge = (model: string) =>
    steadily(SMALL_CALLS_PER_SECOND * TIMES, 0, async () => {
      const response = await post(large, model);
      await response.arrayBuffer();
      return response.status;
    });
  const percentile95 = (results: { millis: number }[]) => {
    const sorted = results.map(({ millis }) => millis).sort((one, other) => one - other);
    return sorted[Math.floor(sorted.length * 0.95)]!;
  };

  it('keeps nobody waiting for one who takes everything', async () => {
    // Keys and leases are read once.
    await Promise.all(small.slice(0, SLOTS / 2).map(call));
    await Promise.all(small.slice(SLOTS / 2).map(call));
    const alone = await callSmall();
    // The same work for the gateway and the machine, but for the server.
    const [, elsewhere] = await Promise.all([callLarge(ROOMY), callSmall()]);
    mostRunning = 0;
    const [statuses, beside] = await Promise.all([callLarge(FULL), callSmall()]);
    const [quiet, roomyMillis, fullMillis] = [alone, elsewhere, beside].map(percentile95) as [
      number,
      number,
      number,
    ];
    const added = (to: number) => `${((fullMillis / to - 1) * 100).toFixed(1)} %`;
    const refusedSmall = beside.filter(({ refusals }) => refusals > 0).length;
    const refusedLarge = statuses.filter((status) => status === 429).length;
    process.stdout.write(
      `Fairness behind ${count}: p95 of ${SMALL_ACCOUNTS} accounts ${fullMillis.toFixed(0)} ms beside one that calls ${TIMES} times as often, ` +
        `${roomyMillis.toFixed(0)} ms if it calls another server (${added(roomyMillis)}), ${quiet.toFixed(0)} ms alone (${added(quiet)}); ` +
        `refused: ${refusedSmall} of their ${beside.length} calls, ${refusedLarge} of its ${statuses.length}\n`,
    );
    expect(mostRunning).toBeLessThanOrEqual(SLOTS);
    expect(refusedLarge).toBeGreaterThan(0);
    expect(fullMillis).toBeLessThanOrEqual(roomyMillis * (1 + MOST_ADDED));
    await waitFor(() => running === 0);
  });
});
