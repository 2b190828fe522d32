import { once } from 'node:events';
import { type IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import {
  createTestDatabase,
  insertAccount,
  publishPrices,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { findProgram, Nginx } from '../site/nginx';
import { Site } from '../site/site';
import { CertificateAuthority } from '../tls/certificate-authority';

/** 30 words in a second and a half. */
const STREAMED = 'sandbox-chat+delay-50+tokens-30';
/** Silent for longer than the two seconds after which the gateway of this test says that it lives. */
const SILENT = 'sandbox-chat+first-delay-5000+tokens-2';
const ENDLESS = 'sandbox-chat+delay-50+tokens-400';
/** A stream that a proxy holds back arrives all at once. */
const MIN_STREAM_MILLIS = 300;

const program = findProgram('nginx');

interface Piece {
  at: number;
  text: string;
}

(program ? describe : describe.skip)('docker/nginx/nginx.conf in front of the services', () => {
  const authority = new CertificateAuthority();
  const connections = new Agent({ keepAlive: true, rejectUnauthorized: false });
  let database: TestDatabase;
  let site: Site;
  let nginx: Nginx;
  let account: { accountId: string; apiKey: string };

  beforeAll(async () => {
    database = await createTestDatabase();
    const models = [STREAMED, SILENT, ENDLESS];
    const price = { unit: 'per_million_tokens', ratePicos: 1_000n } as const;
    await publishPrices(
      database.pool,
      models.map((slug) => ({ slug, ...price })),
    );
    account = await insertAccount(database.pool, { balancePicos: 1_000_000_000_000n });
    site = new Site(database);
    const gateway = await site.startGateway(await site.startEngine(), {
      TRUST_PROXY: '1',
      STREAM_KEEP_ALIVE_SECONDS: '2',
    });
    const agent = await site.startAgent(gateway, { TRUST_PROXY: '1', DEFAULT_MODEL: STREAMED });
    const proxied = { TRUST_PROXY: '1', GATEWAY_URL: gateway.url };
    const console = await site.startConsole(proxied);
    nginx = await Nginx.startShipped(
      program!,
      { gateway, agent, console },
      authority.issue('api.example.com'),
    );
  });
  afterAll(async () => {
    connections.destroy();
    await nginx?.stop();
    await site?.stop();
    await database?.drop();
    authority.remove();
  });

  /** @param host one of the names in the file */
  async function post(
    host: string,
    path: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<IncomingMessage> {
    const call = request(`${nginx.url}${path}`, {
      method: 'POST',
      agent: connections,
      servername: host,
      headers: {
        Host: host,
        Authorization: `Bearer ${account.apiKey}`,
        'Content-Type': 'application/json',
        ...headers,
      },
    });
    call.end(JSON.stringify(body));
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    return response;
  }
  const chat = (model: string, headers?: Record<string, string>) =>
    post(
      'api.example.com',
      '/v1/chat/completions',
      { model, stream: true, messages: [{ role: 'user', content: 'Hello' }] },
      headers,
    );
  async function piecesOf(response: IncomingMessage): Promise<Piece[]> {
    const pieces: Piece[] = [];
    response.setEncoding('utf8');
    for await (const text of response) pieces.push({ at: performance.now(), text: text as string });
    return pieces;
  }
  const expectUnbuffered = (pieces: Piece[], begin: string, end: string) => {
    const first = pieces.find(({ text }) => text.includes(begin))!;
    const last = pieces.findLast(({ text }) => text.includes(end))!;
    expect(last.at - first.at).toBeGreaterThan(MIN_STREAM_MILLIS);
  };

  it('passes on each piece of the streams of gateway and agent at once', async () => {
    const answer = await chat(STREAMED);
    expect(answer.statusCode).toBe(200);
    expectUnbuffered(await piecesOf(answer), '"content"', '[DONE]');
    const path = '/v1/agents/sessions/one/events/stream';
    const turn = await post('agent.example.com', path, { role: 'user', content: 'Hello' });
    expect(turn.statusCode).toBe(200);
    expectUnbuffered(await piecesOf(turn), 'event: delta', 'event: turn.completed');
  });

  it('passes on what keeps a silent stream alive', async () => {
    const startedAt = performance.now();
    const pieces = await piecesOf(await chat(SILENT));
    const content = pieces.find(({ text }) => text.includes('"content":"'))!;
    const comment = pieces.find(({ text }) => text.startsWith(':'))!;
    expect(comment.at).toBeLessThan(content.at);
    expect(content.at - startedAt).toBeGreaterThan(4_000);
  });

  it('names the address of the customer, whatever the customer names', async () => {
    const person = { email: 'ann@example.com', password: 'a password of this test' };
    const headers = { 'X-Forwarded-For': '203.0.113.99' };
    const answer = await post('console.example.com', '/api/auth/register', person, headers);
    expect(answer.resume().statusCode).toBe(201);
    const { rows } = await database.pool.query<{ address: string }>(
      'SELECT DISTINCT host(address::inet) AS address FROM accounts.security_events',
    );
    expect(rows).toEqual([{ address: '127.0.0.1' }]);
  });

  it('lets the service know that a customer has left, and what was produced is charged', async () => {
    const answer = await chat(ENDLESS);
    const requestId = answer.headers['x-inference-request-id'];
    await once(answer, 'data');
    answer.destroy();
    const [event] = await waitFor(async () => {
      const { rows } = await database.pool.query<{ outcome: string; output_tokens: string }>(
        'SELECT outcome, output_tokens FROM metering.usage_events WHERE request_id = $1',
        [requestId],
      );
      return rows.length > 0 ? rows : null;
    });
    expect(event!.outcome).toBe('disconnected');
    expect(Number(event!.output_tokens)).toBeLessThan(400);
  });

  it('refuses names of other sites', async () => {
    const answer = await post('other.example.org', '/v1/chat/completions', {});
    expect(answer.resume().statusCode).toBe(421);
  });
});
