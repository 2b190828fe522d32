import { ScriptedService } from '../inference/scripted-service.fixture';
import { type SignedIn, TestSite } from '../testing/console.fixture';

interface Health {
  services: {
    name: string;
    url: string;
    status: string;
    latency_ms: number | null;
    message: string | null;
    started_at: string | null;
  }[];
  checked_at: string;
}

describe('the health of all services', () => {
  let service: ScriptedService;
  let site: TestSite;
  let admin: SignedIn;
  const check = ({ token } = admin) => site.console.request('GET', '/api/admin/health', { token });
  const found = async (name: string) => {
    const { status, body } = await check();
    expect(status).toBe(200);
    return (body as Health).services.find((one) => one.name === name);
  };

  beforeAll(async () => {
    service = await ScriptedService.start();
    site = await TestSite.start({
      // Refuses connections.
      TRAINING_URL: 'http://127.0.0.1:1',
      ROUTER_URL: service.url,
      MEMO_URL: service.url,
      AGENT_URL: 'https://agent.example.com',
      INTERNAL_AGENT_URL: service.url,
      GATEWAY_URL: service.url,
    });
    admin = await site.signedIn('admin');
  });
  beforeEach(() => service.answersJson(200, { status: 'ok' }));
  afterAll(async () => {
    await site.stop();
    service.close();
  });

  it('names each configured service with its public address', async () => {
    const answer = await check();
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { services, checked_at: checkedAt } = answer.body as Health;
    expect(services.map(({ name, status }) => [name, status])).toEqual([
      ['console', 'ok'],
      ['gateway', 'ok'],
      ['router-cost', 'ok'],
      ['training', 'unavailable'],
      ['agent', 'ok'],
      ['memo', 'ok'],
    ]);
    expect(services.find(({ name }) => name === 'agent')!.url).toBe('https://agent.example.com');
    expect(Date.parse(checkedAt)).not.toBeNaN();
    expect(service.requests.map(({ url }) => url)).toEqual(Array(4).fill('/healthz'));
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill(undefined));
  });

  it('tells since when a service runs, if it says so', async () => {
    service.answers((_request, response) => {
      response
        .writeHead(503, { 'X-Started-At': '2026-11-28T02:07:00.000Z' })
        .end('{"error":"shutting down"}');
    });
    expect(await found('memo')).toMatchObject({ started_at: '2026-11-28T02:07:00.000Z' });
    service.answers((_request, response) => void response.writeHead(200, { 'X-Started-At': 'soon' }).end());
    expect(await found('memo')).toMatchObject({ status: 'ok', started_at: null });
    const own = await site.console.request('GET', '/healthz');
    const startedAt = own.headers.get('x-started-at')!;
    expect(Math.abs(Date.now() - process.uptime() * 1000 - Date.parse(startedAt))).toBeLessThan(60_000);
    expect(await found('console')).toMatchObject({ status: 'ok', started_at: startedAt });
  });

  it('says what a service says is wrong', async () => {
    service.answersJson(503, { error: 'database unavailable' });
    expect(await found('memo')).toEqual({
      name: 'memo',
      url: service.url,
      status: 'unhealthy',
      latency_ms: expect.any(Number),
      message: 'database unavailable',
      started_at: null,
    });
  });

  it.each([
    [502, '<html>Bad gateway</html>'],
    [404, '{"error": 7}'],
    [302, ''],
  ])('is unhealthy with status %i', async (status, body) => {
    service.answers((_request, response) => void response.writeHead(status).end(body));
    expect(await found('memo')).toMatchObject({
      status: 'unhealthy',
      message: `answers with status ${status}`,
    });
  });

  it('is 200 with a service that refuses connections', async () => {
    expect(await found('training')).toMatchObject({
      status: 'unavailable',
      latency_ms: null,
      message: 'cannot be reached',
    });
  });

  it('does not wait for a service that never answers', async () => {
    service.answers(() => undefined);
    expect(await found('memo')).toMatchObject({
      status: 'unavailable',
      latency_ms: null,
      message: 'no answer within 3 seconds',
    });
  });

  it('tells how upstreams are, as the gateways see them, without their addresses', async () => {
    await site.database.pool.query(
      `INSERT INTO serving.upstreams (id, name, base_url, concurrency) VALUES ('up_one', 'one', 'http://127.0.0.1:9/v1', 8)`,
    );
    const report = (running: number, failures: number, openModels: string[]) =>
      JSON.stringify([
        { upstreamId: 'up_one', running, isUp: true, openModels, calls: 10, failures, firstByteMs: 40 },
      ]);
    await site.database.pool.query(
      `INSERT INTO serving.gateway_reports (gateway_id, reported_at, upstreams)
       VALUES ('a', clock_timestamp(), $1), ('b', clock_timestamp(), $2)`,
      [report(3, 1, ['m']), report(4, 0, [])],
    );
    const { body } = await check(await site.signedIn('support'));
    expect((body as { upstreams: object[] }).upstreams).toEqual([
      {
        name: 'one',
        state: 'active',
        concurrency: 8,
        gateways: 2,
        is_up: true,
        running: 7,
        calls_per_minute: 20,
        failures_per_minute: 1,
        first_byte_ms: 40,
        open_models: ['m'],
      },
    ]);
  });

  it('counts what waits, and since when', async () => {
    await site.database.pool.query(
      `INSERT INTO metering.unfolded_usage (account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens,
         cost_picos, cost_usd_picos, calls, limited_picos, appended_at)
       SELECT $1, date_trunc('hour', now()), 'm', 'chat', 'per_request', '', 1, 0, 0, 0, 1, 0, now() - interval '90 seconds'
       FROM generate_series(1, 3)`,
      [admin.accountId],
    );
    const { body } = await check();
    const { queues } = body as { queues: { name: string; waiting: number; oldest_seconds: number }[] };
    expect(queues.map(({ name }) => name)).toEqual(
      'usage job mail payment refund provider_event invoice'.split(' '),
    );
    expect(queues[0]!.waiting).toBe(3);
    expect(queues[0]!.oldest_seconds).toBeGreaterThanOrEqual(90);
    expect(queues[0]!.oldest_seconds).toBeLessThan(1_000);
  });

  it('is for admins only', async () => {
    expect((await check(await site.signedIn())).status).toBe(403);
    expect((await check(await site.signedIn('analyst'))).status).toBe(403);
  });
});
