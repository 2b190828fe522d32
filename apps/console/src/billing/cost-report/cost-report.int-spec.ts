import { randomBytes } from 'node:crypto';
import { ScriptedService } from '../../inference/scripted-service.fixture';
import { type SignedIn, TestConsole, TestSite } from '../../testing/console.fixture';

const CREDENTIAL = randomBytes(24).toString('hex');
const PATH = '/api/cost-report';
const REPORT = {
  items: [{ user: 'acct_1', model: 'chat', cost_usd: 0.002468, tokens: 1234 }],
  next_cursor: null,
};

let routerCost: ScriptedService;
let site: TestSite;
let admin: SignedIn;
let analyst: SignedIn;

beforeAll(async () => {
  routerCost = await ScriptedService.start();
  site = await TestSite.start({ ROUTER_COST_CREDENTIAL: CREDENTIAL, INTERNAL_ROUTER_URL: routerCost.url });
  admin = await site.signedIn('admin');
  analyst = await site.signedIn('analyst');
});
beforeEach(() => routerCost.answersJson(200, REPORT, { 'Cache-Control': 'no-store' }));
afterAll(async () => {
  await site?.stop();
  routerCost?.close();
});

const ask = (query = '', { token } = admin, headers = {}) =>
  site.console.request('GET', PATH + query, { token, headers });

it('is that of the router-cost service about all accounts, for admins and analysts', async () => {
  for (const caller of [admin, analyst]) {
    const query = '?from=2026-01-01&time_zone=Asia%2FShanghai&group_by=user%2Cmodel&granularity=day&limit=7';
    const { status, text, headers } = await ask(query, caller);
    expect([status, text]).toEqual([200, JSON.stringify(REPORT)]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(routerCost.requests).toMatchObject([
      {
        method: 'GET',
        url: `/v1/router/cost${query}&accounts=all`,
        headers: { authorization: `Bearer ${CREDENTIAL}`, 'x-on-behalf-of': caller.accountId },
      },
    ]);
    routerCost.requests.length = 0;
  }
});

it('comes as CSV on demand', async () => {
  const csv = 'user,cost_usd,tokens\r\nacct_1,0.002468,1234\r\n';
  routerCost.answers(({ headers }, response) => {
    expect(headers.accept).toBe('text/csv');
    response.writeHead(200, { 'Content-Type': 'text/csv; charset=utf-8' }).end(csv);
  });
  const { status, text, headers } = await ask('?group_by=user', admin, { Accept: 'text/csv' });
  expect([status, text, headers.get('content-type')]).toEqual([200, csv, 'text/csv; charset=utf-8']);
});

it.each([
  '?group_by=team',
  '?group_by=user&group_by=model',
  '?accounts=own',
  '?limit=101',
  '?from=yesterday',
])('is refused here with %s', async (query) => {
  expect((await ask(query)).status).toBe(400);
  expect(routerCost.requests).toEqual([]);
});

it('keeps the errors of the service', async () => {
  routerCost.answersJson(400, { error: 'cursor: is not valid' });
  expect(await ask('?cursor=x')).toMatchObject({ status: 400, body: { error: 'cursor: is not valid' } });
});

it('is closed to customers, and without a session', async () => {
  expect((await ask('', await site.signedIn())).status).toBe(403);
  expect((await site.console.request('GET', PATH)).status).toBe(401);
  expect(routerCost.requests).toEqual([]);
});

it.each([
  [404, 'not_offered', {}],
  [
    503,
    'router_cost_unavailable',
    { ROUTER_COST_CREDENTIAL: CREDENTIAL, INTERNAL_ROUTER_URL: 'http://127.0.0.1:9' },
  ],
])('is %d %s without the service', async (status, code, environment) => {
  const console = await TestConsole.start(site.database.urlFor('console'), environment);
  const response = await console.request('GET', PATH, { token: admin.token });
  await console.close();
  expect(response).toMatchObject({ status, body: { code } });
});

it('is 504 if the service accepts the request and is silent', async () => {
  routerCost.answers(() => undefined);
  const console = await TestConsole.start(site.database.urlFor('console'), {
    ROUTER_COST_CREDENTIAL: CREDENTIAL,
    INTERNAL_ROUTER_URL: routerCost.url,
    MODEL_SILENCE_TIMEOUT_SECONDS: '0.2',
  });
  const response = await console.request('GET', PATH, { token: admin.token });
  await console.close();
  expect(response).toMatchObject({ status: 504, body: { code: 'router_cost_timeout' } });
});
