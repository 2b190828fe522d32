import { createTestDatabase, type TestDatabase } from '@inference/testing';
import { ENTITIES } from '../entities';
import { type Answer, TestConsole } from '../testing/console.fixture';

describe('rate limits', () => {
  let database: TestDatabase;
  let console: TestConsole;
  let address = 0;
  let from: Record<string, string>;
  const get = (path: string) => console.request('GET', path, { headers: from });
  const post = (path: string, json: unknown, headers = from) =>
    console.request('POST', path, { json, headers });

  beforeAll(async () => (database = await createTestDatabase(ENTITIES)));
  beforeEach(() => (from = { 'X-Forwarded-For': `192.0.2.${++address}` }));
  afterEach(() => console.close());
  afterAll(() => database.drop());

  /** 3,000 requests and 30 attempts a minute, each times the multiplier. */
  const start = async (
    multiplier: number,
    environment: Record<string, string> = { TRUST_PROXY: 'loopback' },
  ) => {
    const url = database.urlFor('console');
    console = await TestConsole.start(url, { ...environment, RATE_LIMIT_MULTIPLIER: String(multiplier) });
  };
  const limitHeaders = ({ headers }: Answer) =>
    ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((name) => Number(headers.get(name)));

  it('count all requests of an address, whatever their status', async () => {
    await start(0.02);
    const paths = ['/api/site', '/api/auth/me', '/.well-known/jwks.json'];
    for (let n = 0; n < 60; n++) {
      const answer = await get(paths[n % 3]!);
      expect(answer.status).toBe(n % 3 === 1 ? 401 : 200);
      const [limit, remaining, reset] = limitHeaders(answer);
      expect([limit, remaining]).toEqual([60, 59 - n]);
      expect(reset).toBeGreaterThan(0);
      expect(reset).toBeLessThanOrEqual(60);
    }
    for (const path of paths) {
      const answer = await get(path);
      expect([answer.status, answer.body]).toEqual([429, { error: 'too many requests' }]);
      expect(limitHeaders(answer).slice(0, 2)).toEqual([60, 0]);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
    expect((await get('/healthz')).status).toBe(200);
    from = { 'X-Forwarded-For': '198.51.100.1' };
    expect((await get('/api/site')).status).toBe(200);
  });

  it('count the webhooks of payment providers apart, with a high limit', async () => {
    await start(0.01);
    for (let n = 0; n < 40; n++) {
      const answer = await post('/api/billing/webhooks/card_provider', {});
      expect(answer.status).toBe(404);
      expect(limitHeaders(answer).slice(0, 2)).toEqual([600, 599 - n]);
    }
    expect(limitHeaders(await get('/api/site')).slice(0, 2)).toEqual([30, 29]);
    for (let n = 40; n < 600; n++) await post('/api/billing/webhooks/card_provider', {});
    expect((await post('/api/billing/webhooks/card_provider', {})).status).toBe(429);
    expect((await get('/api/site')).status).toBe(200);
  });

  it('do not admit large bodies of webhooks', async () => {
    await start(1_000);
    const large = await post('/api/billing/webhooks/card_provider', 'x'.repeat(66_000));
    expect(large.status).toBe(413);
  });

  it('are strict on routes that accept credentials, counted together', async () => {
    await start(0.1);
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) {
      const answer =
        n % 2 ? await post('/api/auth/register', { email: `${n}` }) : await post('/api/auth/login', {});
      statuses.push(answer.status);
      expect(limitHeaders(answer)[0]).toBe(3);
    }
    expect(statuses).toEqual([400, 400, 400, 429]);
    expect((await post('/api/auth/2fa/verify', {})).status).toBe(429);
    expect((await post('/api/auth/password/forgot', {})).status).toBe(429);
    expect((await get('/api/site')).status).toBe(200);
  });

  it('count registrations by address only, not by account', async () => {
    await start(0.1);
    const json = { email: 'wanted@example.com', password: 'short' };
    for (let n = 0; n < 8; n++) {
      const headers = { 'X-Forwarded-For': `203.0.113.${n}` };
      expect((await post('/api/auth/register', json, headers)).status).toBe(400);
    }
  });

  it('count an IPv6 network as one address', async () => {
    await start(0.1);
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++)
      statuses.push((await post('/api/auth/login', {}, { 'X-Forwarded-For': `2001:db8::${n}` })).status);
    expect(statuses).toEqual([400, 400, 400, 429]);
  });

  it('count an IPv4 address that is mapped to IPv6 as itself', async () => {
    await start(0.1);
    const statuses: number[] = [];
    for (const address of ['198.18.0.1', '::ffff:198.18.0.1', '::ffff:c612:1', '198.18.0.1'])
      statuses.push((await post('/api/auth/login', {}, { 'X-Forwarded-For': address })).status);
    expect(statuses).toEqual([400, 400, 400, 429]);
  });

  it('trust X-Forwarded-For only if configured', async () => {
    await start(0.01, {});
    const statuses: number[] = [];
    for (let n = 0; n < 31; n++) {
      const headers = { 'X-Forwarded-For': `198.51.100.${n}` };
      statuses.push((await console.request('GET', '/api/site', { headers })).status);
    }
    expect(statuses).toEqual([...Array<number>(30).fill(200), 429]);
  });
});
