import { type Answer, type SignedIn, TestConsole, TestSite } from '../testing/console.fixture';

const PRICES = '/api/admin/billing/pricing/models';
const ORIGIN = 'https://ui.test';
/** All public cacheable routes. */
const PATHS = [
  '/api/pricing',
  '/api/payments/providers',
  '/api/site',
  '/api/announcements',
  '/api/changelog',
  '/api/changelog.atom',
  '/sitemap.xml',
];
/** The routes whose responses depend on published data only, so that they have a Last-Modified. */
const DATED = ['/api/pricing', '/api/changelog'];

describe('a public response', () => {
  let site: TestSite;
  let admin: SignedIn;
  /** Sets Cache-Control, because fetch adds `no-cache` to conditional requests without one. */
  const read = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    site.console.request(method, path, { headers });
  const tagOf = (answer: Answer) => answer.headers.get('etag')!;
  const dateOf = (answer: Answer) => answer.headers.get('last-modified');
  const publishPrice = (price: number) =>
    site.console.request('PUT', PRICES, {
      token: admin.token,
      json: { models: [{ slug: 'm', unit: 'per_request', price }] },
    });
  const publishEntry = async () => {
    const json = { title: 'new', body: 'b' };
    const answer = await site.console.request('POST', '/api/admin/changelog', { token: admin.token, json });
    return (answer.body as { id: string }).id;
  };
  /** Moves all earlier changes into the past. */
  const goBack = (interval: string) =>
    site.database.pool.query('UPDATE catalogue.changes SET changed_at = clock_timestamp() - $1::interval', [
      interval,
    ]);
  const secondsOf = async (topic: string) => {
    const { rows } = await site.database.pool.query<{ second: number }>(
      'SELECT floor(extract(epoch FROM changed_at))::float8 AS second FROM catalogue.changes WHERE topic = $1',
      [topic],
    );
    return rows[0]!.second;
  };
  const shifted = (date: string, seconds: number) =>
    new Date(Date.parse(date) + seconds * 1000).toUTCString();

  beforeAll(async () => {
    site = await TestSite.start({ CORS_ORIGINS: ORIGIN });
    admin = await site.signedIn('admin');
    await publishPrice(0.000000000001);
    await publishEntry();
    await goBack('1 hour');
  });
  afterAll(() => site.stop());

  describe.each(PATHS)('%s', (path) => {
    it('may be cached for a minute and has an entity tag', async () => {
      const answer = await read(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=60');
      expect(tagOf(answer)).toMatch(/^W\/"[\w-]{27}"$/);
      expect(tagOf(await read(path))).toBe(tagOf(answer));
    });

    it('is 304 for the current entity tag', async () => {
      const whole = await read(path, { Origin: ORIGIN });
      const tag = tagOf(whole);
      const conditions = [tag, tag.slice(2), `"other", ${tag}`, `W/"a",${tag.slice(2)} , "b"`, '*'];
      for (const condition of conditions) {
        const answer = await read(path, { 'If-None-Match': condition, Origin: ORIGIN });
        expect([condition, answer.status, answer.text]).toEqual([condition, 304, '']);
        for (const name of ['etag', 'cache-control', 'last-modified', 'vary', 'access-control-allow-origin'])
          expect(answer.headers.get(name)).toBe(whole.headers.get(name));
        for (const name of ['content-type', 'content-length']) expect(answer.headers.get(name)).toBeNull();
      }
    });

    it('is sent for any other entity tag', async () => {
      const { text, ...whole } = await read(path);
      for (const condition of ['"other"', `"${tagOf({ text, ...whole })}"`, '', 'rubbish']) {
        const answer = await read(path, { 'If-None-Match': condition });
        expect([condition, answer.status, answer.text]).toEqual([condition, 200, text]);
      }
    });

    it('is 304 also for `Cache-Control: no-cache`', async () => {
      const tag = tagOf(await read(path));
      for (const wish of ['no-cache', 'no-store', 'max-age=0', 'no-cache, max-stale=5'])
        expect((await read(path, { 'If-None-Match': tag, 'Cache-Control': wish })).status).toBe(304);
    });

    it('has the same headers for HEAD', async () => {
      const whole = await read(path);
      const head = await read(path, {}, 'HEAD');
      expect([head.status, head.text]).toEqual([200, '']);
      for (const name of ['etag', 'cache-control', 'last-modified', 'content-type', 'content-length'])
        expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
      expect((await read(path, { 'If-None-Match': tagOf(whole) }, 'HEAD')).status).toBe(304);
    });

    it('varies by origin for shared caches', async () => {
      expect((await read(path)).headers.get('vary')).toContain('Origin');
      for (const origin of [ORIGIN, 'https://other.test'])
        expect((await read(path, { Origin: origin })).headers.get('vary')).toContain('Origin');
    });
  });

  it.each(PATHS.filter((path) => !DATED.includes(path)))('%s has no Last-Modified', async (path) => {
    const answer = await read(path, { 'If-Modified-Since': shifted(new Date().toUTCString(), 3_600) });
    expect([answer.status, dateOf(answer)]).toEqual([200, null]);
  });

  describe.each(DATED)('%s', (path) => {
    it('is 304 for its date or a later one', async () => {
      const date = dateOf(await read(path))!;
      expect(Date.now() - Date.parse(date)).toBeGreaterThan(3_500_000);
      for (const since of [date, shifted(date, 1), shifted(date, 7_200)]) {
        const answer = await read(path, { 'If-Modified-Since': since });
        expect([since, answer.status, answer.text]).toEqual([since, 304, '']);
        expect(answer.headers.get('content-type')).toBeNull();
      }
    });

    it('is sent for an earlier date and for an invalid one', async () => {
      const date = dateOf(await read(path))!;
      for (const since of [shifted(date, -1), 'Thu, 01 Jan 1970 00:00:00 GMT', 'rubbish', '']) {
        const answer = await read(path, { 'If-Modified-Since': since });
        expect([since, answer.status]).toEqual([since, 200]);
        expect(answer.text).not.toBe('');
      }
    });

    it('ignores the date if both validators are sent', async () => {
      const whole = await read(path);
      const date = dateOf(whole)!;
      const known = { 'If-None-Match': tagOf(whole), 'If-Modified-Since': shifted(date, -60) };
      expect((await read(path, known)).status).toBe(304);
      const other = { 'If-None-Match': '"other"', 'If-Modified-Since': date };
      expect((await read(path, other)).status).toBe(200);
    });
  });

  it('keeps every digit of numbers', async () => {
    const answer = await read('/api/pricing');
    expect(answer.text).toContain('"price":0.000000000001,');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('has new validators immediately after a change', async () => {
    await goBack('1 hour');
    let known = await read('/api/pricing');
    const date = dateOf(known)!;
    // Without pauses, so that several changes fall into the same second.
    for (const price of [1, 2, 3, 4]) {
      await publishPrice(price);
      const byTag = await read('/api/pricing', { 'If-None-Match': tagOf(known) });
      const byDate = await read('/api/pricing', { 'If-Modified-Since': dateOf(known) ?? date });
      for (const answer of [byTag, byDate]) {
        expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(`"price":${price},`)]);
        expect(dateOf(answer) === null || Date.parse(dateOf(answer)!) > Date.parse(date)).toBe(true);
      }
      known = byTag;
    }
  });

  it('has no Last-Modified while a change in the same second may follow', async () => {
    await goBack('-1 minute');
    for (const path of DATED) {
      const answer = await read(path, { 'If-Modified-Since': shifted(new Date().toUTCString(), 120) });
      expect([path, answer.status, dateOf(answer)]).toEqual([path, 200, null]);
    }
  });

  it('has another Last-Modified after every change, however fast they follow', async () => {
    await site.database.pool.query(
      "UPDATE catalogue.changes SET changed_at = date_trunc('second', clock_timestamp()) + interval '1 hour 0.9 seconds'",
    );
    const first = await secondsOf('prices');
    await publishPrice(1);
    await publishPrice(2);
    expect(await secondsOf('prices')).toBe(first + 2);
    await goBack('1 hour');
    const now = Math.floor(Date.now() / 1000);
    await publishPrice(3);
    expect(await secondsOf('prices')).toBeGreaterThanOrEqual(now - 1);
  });

  it('does not become older by a removal', async () => {
    const id = await publishEntry();
    await goBack('1 hour');
    const before = await read('/api/changelog');
    await site.console.request('DELETE', `/api/admin/changelog/${id}`, { token: admin.token });
    const removed = await read('/api/changelog', { 'If-Modified-Since': dateOf(before)! });
    expect(removed.status).toBe(200);
    expect(removed.text).not.toContain(id);
    await site.database.pool.query(
      "UPDATE catalogue.changes SET changed_at = changed_at - interval '1 minute'",
    );
    const after = await read('/api/changelog', { 'If-Modified-Since': dateOf(before)! });
    expect(after.status).toBe(200);
    expect(Date.parse(dateOf(after)!)).toBeGreaterThan(Date.parse(dateOf(before)!));
  });

  it.each([
    ['/api/pricing?limit=0', 400],
    ['/api/changelog?cursor=rubbish', 400],
    ['/sitemap-1.xml', 404],
  ])('%s is an error that is not cached', async (path, status) => {
    const answer = await read(path, { 'If-None-Match': '*' });
    expect([answer.status, answer.body]).toEqual([status, { error: expect.any(String) }]);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    for (const name of ['etag', 'cache-control', 'last-modified'])
      expect(answer.headers.get(name)).toBeNull();
  });
});

describe('without a database, a public response', () => {
  let console: TestConsole;
  beforeAll(async () => (console = await TestConsole.start('postgres://console@127.0.0.1:1/platform')));
  afterAll(() => console.close());

  it.each(['/api/pricing', '/api/changelog', '/api/changelog.atom', '/sitemap.xml', '/sitemap-1.xml'])(
    '%s is an error that is not cached',
    async (path) => {
      const answer = await console.request('GET', path, { headers: { 'If-None-Match': '*' } });
      expect([answer.status, answer.body]).toEqual([503, { error: 'database unavailable' }]);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      for (const name of ['etag', 'cache-control', 'last-modified'])
        expect(answer.headers.get(name)).toBeNull();
    },
  );
});
