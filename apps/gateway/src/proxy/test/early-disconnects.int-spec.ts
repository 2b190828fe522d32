import { type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { findFreePort, type TestAccount, waitFor } from '@inference/testing';
import {
  costOf,
  eventsOf,
  PLENTY,
  RATES,
  type ScriptedUpstream,
  startUpstream,
  TestSite,
  walletOf,
} from '../../testing/gateway.fixture';
import { UpstreamCall } from '../../upstreams/upstream-call';

/** Clients that leave before the first token: who has the request decides whether its prompt is charged. */

const BODY = { messages: [{ role: 'user', content: 'Say something about the sea.' }], max_tokens: 60 };

/** What the scripted upstream does with a request for a model, before it falls silent. */
const SCRIPTS: Record<string, (response: ServerResponse) => void> = {
  silent: () => undefined,
  headers: (response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).write('{'),
  refusing: (response) => void response.writeHead(400, { 'Content-Type': 'application/json' }).write('{'),
  failing: (response) => void response.writeHead(500, { 'Content-Type': 'application/json' }).write('{'),
  'broken-stream': (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('data: {"error":{"message":"out of memory"}}\n\n');
  },
};

let site: TestSite;
let upstream: ScriptedUpstream;
/** Accepts connections and never answers a TLS handshake. */
let mute: Server;
const connections: Socket[] = [];
let account: TestAccount;
const answerBytes = jest.spyOn(UpstreamCall.prototype, 'onResponseData');

beforeAll(async () => {
  upstream = await startUpstream((_: IncomingMessage, response, body) =>
    SCRIPTS[(JSON.parse(body) as { model: string }).model]!(response),
  );
  mute = createServer((socket) => connections.push(socket.resume().on('error', () => undefined)));
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const refused = await findFreePort();
  const models = [...Object.keys(SCRIPTS), 'unreachable', 'over-refused', 'over-failing', 'sandbox-chat'];
  site = await TestSite.start(Object.fromEntries(models.map((model) => [model, RATES])), {}, (engine) => [
    { name: 'scripted', base_url: upstream.url, models: Object.keys(SCRIPTS) },
    {
      name: 'mute',
      base_url: `https://127.0.0.1:${(mute.address() as AddressInfo).port}/v1`,
      models: ['unreachable'],
    },
    { name: 'refused', base_url: `http://127.0.0.1:${refused}/v1`, models: ['over-refused'] },
    { name: 'failing', base_url: engine, models: { 'over-failing': 'sandbox-chat+status=500' } },
    {
      name: 'second',
      base_url: upstream.url,
      models: { 'over-refused': 'silent', 'over-failing': 'silent' },
    },
    { name: 'engine', base_url: engine, models: ['sandbox-chat'] },
  ]);
});
beforeEach(async () => {
  account = await site.account();
  upstream.bodies.length = 0;
  connections.length = 0;
  answerBytes.mockClear();
});
afterAll(async () => {
  await site.stop();
  await upstream.close();
  for (const socket of connections) socket.destroy();
  await new Promise((resolve) => mute.close(resolve));
});

/** Sends a request and leaves as soon as something has happened. */
async function leaveWhen(happened: () => unknown, body: object): Promise<void> {
  const client = new AbortController();
  const init = { signal: client.signal };
  const sent = site.post('/v1/chat/completions', account.apiKey, { ...BODY, ...body }, init);
  const read = sent.then((response) => response.text());
  await waitFor(() => Promise.resolve(Boolean(happened())));
  client.abort();
  await expect(read).rejects.toThrow();
}

/** Asserts that nothing is charged, and that the whole balance is free again. */
async function expectFree(): Promise<void> {
  const again = { model: 'sandbox-chat', ...BODY };
  expect((await site.post('/v1/chat/completions', account.apiKey, again)).status).toBe(200);
  const events = await eventsOf(site.pool, account.accountId);
  expect(events.map(({ model }) => model)).toEqual(['sandbox-chat']);
  await site.expectCharged(account, events[0]!.cost_picos);
}

const isSent = () => upstream.bodies.length > 0;
/** The first bytes of an answer, whatever its status, have arrived at the gateway. */
const isAnswering = () => answerBytes.mock.calls.length > 0;

describe.each([true, false])('a client that leaves early (stream: %s)', (stream) => {
  it.each([
    ['silent', 'scripted', isSent],
    ['headers', 'scripted', isAnswering],
    ['over-refused', 'second', isSent],
    ['over-failing', 'second', isSent],
  ])('pays for the prompt once if an upstream has the request: %s', async (model, upstreamName, happened) => {
    await leaveWhen(happened, { model, stream });
    const event = await site.onlyEvent(account);
    expect(event).toMatchObject({
      outcome: 'disconnected',
      upstream: upstreamName,
      output_tokens: 0n,
      estimated: true,
    });
    expect(event.input_tokens).toBeGreaterThanOrEqual(6n);
    await site.expectCharged(account, costOf(RATES, Number(event.input_tokens), 0));
    await waitFor(async () => (await walletOf(site.pool, account.accountId)).leased < PLENTY);
  });

  it.each(['failing', 'refusing'])('pays nothing if the upstream gives no answer: %s', async (model) => {
    await leaveWhen(isAnswering, { model, stream });
    await expectFree();
  });

  it('pays nothing while the upstream is not connected', async () => {
    await leaveWhen(() => connections.length > 0, { model: 'unreachable', stream });
    await expectFree();
  });

  it('pays nothing while it waits for its admission', async () => {
    const client = await site.pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM wallet.wallets WHERE account_id = $1 FOR UPDATE', [account.accountId]);
    const waits = async () => {
      const { rows } = await site.pool.query<{ waiting: number }>(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows[0]!.waiting > 0;
    };
    let isGone = false;
    (site.gateway.app.getHttpServer() as HttpServer).once('request', (_, response: ServerResponse) =>
      response.once('close', () => (isGone = true)),
    );
    const leaving = new AbortController();
    const init = { signal: leaving.signal };
    const sent = site.post(
      '/v1/chat/completions',
      account.apiKey,
      { ...BODY, model: 'silent', stream },
      init,
    );
    await waitFor(waits);
    leaving.abort();
    await expect(sent).rejects.toThrow();
    // The gateway has to see that the client is gone before it gets the money.
    await waitFor(() => isGone);
    await client.query('ROLLBACK');
    client.release();
    await expectFree();
    expect(upstream.bodies).toEqual([]);
  });
});

it('pays nothing if the upstream has reported an error in its stream', async () => {
  await leaveWhen(isAnswering, { model: 'broken-stream', stream: true });
  await expectFree();
});

it('pays for each of many long prompts', async () => {
  const content = Array.from({ length: 20_000 }, (_, i) => `word${i % 7}`).join(' ');
  const clients = Array.from({ length: 20 }, () => new AbortController());
  const sent = clients.map(({ signal }) =>
    site.post(
      '/v1/chat/completions',
      account.apiKey,
      { model: 'silent', messages: [{ role: 'user', content }], max_tokens: 60, stream: true },
      { signal },
    ),
  );
  const settled = Promise.allSettled(sent);
  await waitFor(() => Promise.resolve(upstream.bodies.length === 20));
  for (const client of clients) client.abort();
  await settled;
  const events = await waitFor(async () => {
    const found = await eventsOf(site.pool, account.accountId);
    return found.length === 20 && found;
  });
  for (const { input_tokens: tokens } of events) expect(Number(tokens)).toBeGreaterThan(20_000);
  await site.expectCharged(
    account,
    events.reduce((sum, { cost_picos: cost }) => sum + cost, 0n),
  );
});
