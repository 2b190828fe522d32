import { encodeCursor } from '@inference/http';
import { waitFor, waitForLock } from '@inference/testing';
import { type SignedIn, TestSite } from '../../testing/console.fixture';

const MODELS = '/api/admin/billing/pricing/models';
const GPUS = '/api/admin/billing/pricing/gpus';
const BOTH = 'per_million_tokens';

const list = (slug: string, size = 1) => ({
  models: Array.from({ length: size }, (_, n) => ({ slug: `${slug}-${n}`, unit: BOTH, price: 1 })),
});

describe.each([
  ['intl', 'USD', 'CNY'],
  ['cn', 'CNY', 'USD'],
])('publishing prices on site %s', (region, currency, otherCurrency) => {
  let site: TestSite;
  let admin: SignedIn;
  let other: SignedIn;
  const put = (path: string, json: unknown, { token } = admin) =>
    site.console.request('PUT', path, { token, json });
  const read = async () => (await site.console.request('GET', '/api/pricing')).text;
  const state = async () => {
    const { rows } = await site.database.pool.query(
      `SELECT (SELECT count(*) FROM pricing.price_lists) AS lists, (SELECT count(*) FROM pricing.model_prices) AS rows,
         (SELECT count(*) FROM accounts.security_events WHERE type = 'admin.prices_published') AS events,
         (SELECT changed_at::text FROM catalogue.changes WHERE topic = 'prices') AS changed`,
    );
    return { ...rows[0], shown: await read() };
  };

  beforeAll(async () => {
    site = await TestSite.start({ SITE: region });
    admin = await site.signedIn('admin');
    other = await site.signedIn('admin');
    await put(MODELS, list('first'));
    await put(GPUS, { gpus: [{ name: 'g', hourly_price: 1, currency }] });
  });
  afterAll(() => site.stop());

  const row = { slug: 'm', unit: BOTH, price: 1 };
  it.each<[string, string, string]>([
    [MODELS, JSON.stringify({ models: [{ ...row, unit: 'per_token' }] }), 'models.0.unit'],
    [MODELS, JSON.stringify({ models: [{ ...row, price: -1 }] }), 'models.0.price'],
    [MODELS, `{"models":[{"slug":"m","unit":"${BOTH}","price":NaN}]}`, 'JSON'],
    [MODELS, `{"models":[{"slug":"m","unit":"${BOTH}","price":1e999}]}`, 'models.0.price: must not have'],
    [MODELS, JSON.stringify({ models: [row, row] }), 'models.1.unit'],
    [
      MODELS,
      JSON.stringify({ models: [row, { ...row, slug: 'n', currency: otherCurrency }] }),
      'models.1.currency',
    ],
    [GPUS, JSON.stringify({ gpus: [{ name: 'g', hourly_price: -1 }] }), 'gpus.0.hourly_price'],
    [GPUS, '{"gpus":[{"name":"g","hourly_price":NaN}]}', 'JSON'],
    [GPUS, '{"gpus":[{"name":"g","hourly_price":1e999}]}', 'gpus.0.hourly_price: must not have'],
    [
      GPUS,
      JSON.stringify({ gpus: [1, 2].map((price) => ({ name: 'g', hourly_price: price })) }),
      'gpus.1.name',
    ],
    [
      GPUS,
      JSON.stringify({ gpus: [{ name: 'g', hourly_price: 1, currency: otherCurrency }] }),
      'gpus.0.currency',
    ],
  ])('changes nothing for %s %s', async (path, raw, field) => {
    const before = await state();
    const answer = await site.console.request('PUT', path, { token: admin.token, raw });
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(field) }]);
    expect(await state()).toEqual(before);
  });

  it.each([
    [MODELS, list('versioned')],
    [GPUS, { gpus: [{ name: 'versioned', hourly_price: 1 }] }],
    ['/api/admin/billing/pricing/training', { token_per_m: 1, gpu_hour: 2 }],
  ])('refuses a change of %s that is not based on the newest list', async (path, json) => {
    const newest = async () => {
      const { body } = await site.console.request('GET', `${path}/history?limit=1`, { token: admin.token });
      return (body as { lists: { id: string }[] }).lists[0]?.id ?? '0';
    };
    const version = await newest();
    expect((await put(`${path}?version=${version}`, json)).status).toBe(200);
    const before = await state();
    const late = await put(`${path}?version=${version}`, json, other);
    expect([late.status, late.body]).toEqual([409, { error: expect.stringContaining('version: ') }]);
    expect(await state()).toEqual(before);
    expect((await put(`${path}?version=${version}&dry_run=true`, json, other)).status).toBe(200);
    expect((await put(`${path}?version=${await newest()}`, json, other)).status).toBe(200);
    expect((await put(`${path}?version=newest`, json)).status).toBe(400);
  });

  it('requires the role admin', async () => {
    const before = await state();
    const { token } = await site.signedIn('analyst');
    for (const path of [MODELS, GPUS]) {
      const json = path === MODELS ? list('m') : { gpus: [] };
      expect((await site.console.request('PUT', path, { json })).status).toBe(401);
      expect((await site.console.request('PUT', path, { json, token })).status).toBe(403);
    }
    expect(await state()).toEqual(before);
  });

  it('concurrent publications leave one complete list, and all of them in the history', async () => {
    const slugs = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const { rows: newest } = await site.database.pool.query('SELECT max(id) AS id FROM pricing.price_lists');
    const answers = await Promise.all(
      slugs.map((slug, n) => put(MODELS, list(slug, 300), n % 2 ? admin : other)),
    );
    expect(answers.map(({ status }) => status)).toEqual(slugs.map(() => 200));
    const { rows } = await site.database.pool.query<{ slugs: string[]; size: bigint; at: Date }>(
      `SELECT array_agg(DISTINCT split_part(slug, '-', 1)) AS slugs, count(*) AS size, effective_from AS at
       FROM pricing.price_lists l JOIN pricing.model_prices p ON p.price_list_id = l.id
       WHERE l.id > $1 GROUP BY l.id ORDER BY l.id`,
      [newest[0].id],
    );
    expect(rows.map((published) => published.size)).toEqual(slugs.map(() => 300n));
    expect(rows.flatMap((published) => published.slugs).sort()).toEqual(slugs);
    expect(rows.map(({ at }) => at)).toEqual(rows.map(({ at }) => at).sort((a, b) => +a - +b));
    const shown = JSON.parse(await read()) as { models: unknown[] };
    const last = rows.at(-1)!.slugs[0]!;
    expect(shown.models).toEqual(list(last, 300).models.map((published) => ({ ...published, currency })));
  });

  it('changes nothing when it fails in the middle', async () => {
    const before = await state();
    await site.database.pool.query(
      `ALTER TABLE pricing.model_prices ADD CONSTRAINT one CHECK (slug <> 'm-77')`,
    );
    expect((await put(MODELS, list('m', 100))).status).toBe(500);
    await site.database.pool.query('ALTER TABLE pricing.model_prices DROP CONSTRAINT one');
    expect(await state()).toEqual(before);
  });

  it('changes nothing when it is killed in the middle', async () => {
    const before = await state();
    const holder = await site.database.pool.connect();
    try {
      await holder.query('BEGIN');
      // Prices are written before the audit event.
      await holder.query('LOCK TABLE accounts.security_events IN SHARE MODE');
      const publishing = put(MODELS, list('killed', 100));
      await waitForLock(site.database.pool);
      const killed = await site.database.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND usename = 'console'`,
      );
      expect(killed.rowCount).toBe(1);
      expect((await publishing).status).toBe(503);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    expect(await state()).toEqual(before);
    expect((await put(MODELS, list('after'))).status).toBe(200);
    await waitFor(async () => (await read()).includes('after-0'));
  });

  it('has a history that refuses a forged cursor', async () => {
    for (const id of ['abc', '9'.repeat(30)]) {
      const cursor = encodeCursor('price lists models ', { at: '2026-01-01T00:00:00.000000Z', id });
      const answer = await site.console.request('GET', `${MODELS}/history?cursor=${cursor}`, {
        token: admin.token,
      });
      expect([answer.status, answer.body]).toEqual([400, { error: 'cursor: is not valid' }]);
    }
  });
});
