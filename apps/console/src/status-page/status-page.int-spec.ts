import { publishPrices } from '@inference/testing';
import { ScriptedService } from '../inference/scripted-service.fixture';
import { type SignedIn, TestConsole, TestSite } from '../testing/console.fixture';
import { type SiteStatusResponse } from './status-page.dto';

const PAST_FRESHNESS_MILLIS = 11_000;
const TEXTS = { title_en: 'Slow', body_en: 'We look.', title_zh: '缓慢', body_zh: '正在处理。' };

describe('the status of the site', () => {
  let service: ScriptedService;
  let site: TestSite;
  let operator: SignedIn;
  /** Stands still unless a test moves it. */
  let clockMillis = performance.now();
  const query = (text: string, values: unknown[] = []) => site.database.pool.query(text, values);
  const cached = async () => {
    const answer = await site.console.request('GET', '/api/status');
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=60']);
    return answer.body as SiteStatusResponse;
  };
  /** What visitors see once the services were asked again. */
  const read = async () => {
    clockMillis += 6 * PAST_FRESHNESS_MILLIS;
    return cached();
  };
  /** A service that answers late on a busy machine is away. */
  const readWell = async () => {
    let status = await read();
    while (status.services.some((one) => one.status === 'outage')) status = await read();
    return status;
  };
  const announce = async (more: object) => {
    const answer = await site.console.request('POST', '/api/admin/announcements', {
      token: operator.token,
      json: { severity: 'critical', audience: 'all', ...TEXTS, ...more },
    });
    expect(answer.status).toBe(201);
    return (answer.body as { id: string }).id;
  };
  const modelsNow = async () =>
    Object.fromEntries((await read()).models.map(({ slug, status }) => [slug, status]));
  const upstream = async (id: string, models: string[], state = 'active') => {
    await query(
      "INSERT INTO serving.upstreams (id, name, base_url, state) VALUES ($1, 'secret-' || $1, 'http://10.1.2.3', $2)",
      [id, state],
    );
    for (const model of models)
      await query('INSERT INTO serving.upstream_models (upstream_id, model) VALUES ($1, $2)', [id, model]);
  };
  const report = (upstreams: { upstreamId: string; isUp: boolean; openModels?: string[] }[]) =>
    query(
      `INSERT INTO serving.gateway_reports (gateway_id, upstreams) VALUES ('g', $1)
       ON CONFLICT (gateway_id) DO UPDATE SET reported_at = clock_timestamp(), upstreams = excluded.upstreams`,
      [
        JSON.stringify(
          upstreams.map((one) => ({
            openModels: [],
            running: 0,
            calls: 0,
            failures: 0,
            firstByteMs: null,
            ...one,
          })),
        ),
      ],
    );

  beforeAll(async () => {
    service = await ScriptedService.start();
    const { url } = service;
    site = await TestSite.start({
      STATUS_PAGE: 'public',
      ...{ GATEWAY_URL: url, TRAINING_URL: url, ROUTER_URL: url, MEMO_URL: url, AGENT_URL: url },
    });
    operator = await site.signedIn('operator');
    jest.spyOn(performance, 'now').mockImplementation(() => clockMillis);
    const prices = ['a', 'b', 'c', 'd'].map((slug) => ({
      slug,
      unit: 'per_request' as const,
      ratePicos: 1n,
    }));
    await publishPrices(site.database.pool, prices);
  });
  beforeEach(async () => {
    service.answersJson(200, { status: 'ok' });
    await query('TRUNCATE accounts.announcements CASCADE');
    await query('TRUNCATE serving.upstreams, serving.models, serving.gateway_reports CASCADE');
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await site.stop();
    service.close();
  });

  it('names services and models, and nothing of servers, addresses or causes', async () => {
    await upstream('up_1', ['a']);
    await report([{ upstreamId: 'up_1', isUp: true }]);
    const status = await readWell();
    expect(status).toEqual({
      status: 'operational',
      services: ['console', 'gateway', 'router-cost', 'training', 'agent', 'memo'].map((name) => ({
        name,
        status: 'operational',
      })),
      models: [{ slug: 'a', status: 'operational' }],
      incidents: [],
      checked_at: expect.any(String),
    });
    expect(JSON.stringify(status)).not.toMatch(/secret|up_1|10\.1|127\.0/);
  });

  it('is an outage without the gateway, and degraded without another service', async () => {
    service.answers(
      (_request, response) => void response.writeHead(503).end('{"error":"database unavailable"}'),
    );
    const away = await read();
    expect(away.status).toBe('outage');
    expect(away.services.map(({ status }) => status)).toEqual(['operational', ...Array(5).fill('outage')]);
    expect(JSON.stringify(away)).not.toContain('database');
  });

  it('tells of each model what its servers do', async () => {
    await upstream('up_1', ['a', 'b']);
    await upstream('up_2', ['a', 'c']);
    await upstream('up_3', ['d'], 'off');
    expect(await modelsNow()).toEqual({ a: 'unknown', b: 'unknown', c: 'unknown', d: 'outage' });
    await report([
      { upstreamId: 'up_1', isUp: true },
      { upstreamId: 'up_2', isUp: true },
    ]);
    expect(await modelsNow()).toEqual({ a: 'operational', b: 'operational', c: 'operational', d: 'outage' });
    await report([
      { upstreamId: 'up_1', isUp: true },
      { upstreamId: 'up_2', isUp: false },
    ]);
    expect(await modelsNow()).toEqual({ a: 'degraded', b: 'operational', c: 'outage', d: 'outage' });
    await report([
      { upstreamId: 'up_1', isUp: true, openModels: ['b'] },
      { upstreamId: 'up_2', isUp: true },
    ]);
    expect(await modelsNow()).toEqual({ a: 'operational', b: 'outage', c: 'operational', d: 'outage' });
    expect((await read()).status).not.toBe('operational');
    await query(
      "INSERT INTO serving.models (id, slug, state, fallbacks) VALUES ('m1', 'b', 'offered', '{a}'), ('m2', 'd', 'hidden', '{}')",
    );
    expect(await modelsNow()).toEqual({ a: 'operational', b: 'degraded', c: 'operational' });
  });

  it('has the incidents of 90 days that everybody was told of', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const current = await announce({ severity: 'warning' });
    const past = await announce({ starts_at: inDays(-89), ends_at: inDays(-88) });
    await announce({ starts_at: inDays(-92), ends_at: inDays(-91) });
    await announce({ severity: 'info' });
    await announce({ audience: 'accounts', account_ids: [operator.accountId] });
    await announce({ starts_at: inDays(1), ends_at: inDays(2) });
    const cancelled = await announce({ starts_at: inDays(1), ends_at: inDays(2) });
    const ended = await site.console.request('POST', `/api/admin/announcements/${cancelled}/end`, {
      token: operator.token,
    });
    expect(ended.status).toBe(200);
    const { incidents, status } = await readWell();
    expect(status).toBe('operational');
    const critical = await announce({});
    const told = await readWell();
    expect([told.status, told.incidents[0]!.id]).toEqual(['degraded', critical]);
    expect(incidents.map(({ id }) => id)).toEqual([current, past]);
    expect(incidents[0]).toMatchObject({ ...TEXTS, severity: 'warning', ends_at: null });
    expect(JSON.stringify(incidents)).not.toContain(operator.accountId);
  });

  it('asks services and database once for all visitors of ten seconds', async () => {
    await read();
    const asked = service.requests.length;
    const { checked_at: checkedAt } = await cached();
    const answers = await Promise.all(Array.from({ length: 200 }, cached));
    expect(new Set(answers.map((answer) => answer.checked_at))).toEqual(new Set([checkedAt]));
    expect(service.requests.length).toBe(asked);
    // Older than that, it is still what visitors get while the services are asked.
    clockMillis += PAST_FRESHNESS_MILLIS;
    expect((await cached()).checked_at).toBe(checkedAt);
    while ((await cached()).checked_at === checkedAt) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(service.requests.length).toBe(asked + 5);
  });

  it('is not found on a site that does not want it', async () => {
    const other = await TestConsole.start(site.database.urlFor('console'));
    expect((await other.request('GET', '/api/status')).status).toBe(404);
    const links = ({ body }: { body: unknown }) => (body as { links: { status: unknown } }).links.status;
    expect(links(await other.request('GET', '/api/site'))).toBeNull();
    await other.close();
    expect(links(await site.console.request('GET', '/api/site'))).toBe('http://console.test/status');
  });

  it('is told while the database is away', async () => {
    const away = await TestConsole.start('postgres://console@127.0.0.1:1/platform', {
      STATUS_PAGE: 'public',
      GATEWAY_URL: service.url,
    });
    const { body } = await away.request('GET', '/api/status');
    await away.close();
    expect(body).toMatchObject({ models: [], incidents: [] });
    expect((body as SiteStatusResponse).services).toContainEqual({ name: 'console', status: 'outage' });
  });
});
