import { firstIdAt, randomBase62 } from '@inference/database';
import { type UnitRate } from '@inference/metering';
import { settleRequest, type SignedIn, TestSite } from '../../testing/console.fixture';
import { type RequestListResponse } from './requests.dto';

const RATES: UnitRate[] = [{ unit: 'per_million_input_tokens', ratePicos: 150_001n }];
const ARCHIVED = '2026-01-05T00:00:00Z';
const UNTIL = '2026-01-06T00:00:00.000Z';
const RANDOM_DIGITS = 14;

describe('with archived calls', () => {
  let site: TestSite;
  let account: SignedIn;
  const read = (path: string, headers = {}) =>
    site.console.request('GET', `/api/billing/${path}`, { token: account.token, headers });
  const csv = (query: string) => read(`requests${query}`, { Accept: 'text/csv' });
  const insertHour = (hour: string) =>
    site.database.pool.query(
      `INSERT INTO metering.hourly_rollup VALUES ($1, $2, 'm', 'gateway', 'per_million_tokens', 7, 7, 1, 1)`,
      [account.accountId, hour],
    );

  beforeAll(async () => {
    site = await TestSite.start();
    await site.database.pool.query(
      `INSERT INTO metering.archived_days (day, manifest, manifest_sha256, dropped_at)
       VALUES ($1, '', '', now()), ($1::timestamptz - interval '1 day', '', '', now()), ($1::timestamptz + interval '5 days', '', '', NULL)`,
      [ARCHIVED],
    );
  });
  beforeEach(async () => (account = await site.signedIn('user', 10n ** 18n)));
  afterAll(() => site.stop());

  it('the request log says so and lists the others', async () => {
    await insertHour('2026-01-05T18:00:00Z');
    await settleRequest(site.database.pool, account.accountId, {
      ...{ model: 'chat', rates: RATES, usage: { inputTokens: 1, outputTokens: 1 } },
    });
    const all = (await read('requests')).body as RequestListResponse;
    expect([all.requests.length, all.archived_until]).toEqual([1, UNTIL]);
    const { status, text } = await read('requests?from=2026-01-01&to=2026-01-06');
    expect([status, text]).toEqual([200, `{"requests":[],"next_cursor":null,"archived_until":"${UNTIL}"}`]);
  });

  it('an account without archived calls sees nothing of it', async () => {
    await insertHour('2026-01-06T00:00:00Z');
    await insertHour('2026-01-10T18:00:00Z');
    expect((await read('requests')).body).toEqual({ requests: [], next_cursor: null });
    expect((await csv('?from=2026-01-01')).status).toBe(200);
    expect((await csv('?to=2026-01-05')).status).toBe(200);
  });

  it('a CSV does not end where calls are missing', async () => {
    await insertHour('2026-01-04T18:00:00Z');
    for (const to of ['2026-01-04T18:00:01Z', '2026-01-05', '2026-01-06']) {
      const { status, body } = await csv(`?to=${to}`);
      expect([status, body]).toMatchObject([
        400,
        { error: expect.stringContaining(`to: must be after ${UNTIL}`) },
      ]);
    }
    for (const to of ['2026-01-04T18:00:00Z', '2026-01-06T00:00:01Z'])
      expect((await csv(`?to=${to}`)).status).toBe(200);
  });

  it('a CSV does not begin where calls are missing', async () => {
    await insertHour('2026-01-05T18:00:00Z');
    const { status, body } = await csv('?from=2026-01-05');
    expect([status, body]).toMatchObject([
      400,
      { error: expect.stringContaining(`from: must be ${UNTIL} or later`) },
    ]);
    expect((await csv('?from=2026-01-06')).status).toBe(200);
    expect((await csv('')).status).toBe(200);
  });

  it.each([
    ['2026-01-05T23:59:59.999Z', `no such request: the calls before ${UNTIL} are archived`],
    ['2026-01-06T00:00:00.000Z', 'no such request'],
  ])('a call of %s is not found, which says why', async (at, message) => {
    await insertHour('2026-01-05T18:00:00Z');
    const id = firstIdAt('req', Date.parse(at)) + randomBase62(RANDOM_DIGITS);
    const { status, body } = await read(`requests/${id}`);
    expect([status, body]).toEqual([404, { error: message }]);
  });

  describe('usage', () => {
    const read400 = async (query: string) => {
      const { status, body } = await read(`usage${query}`);
      expect(status).toBe(400);
      return (body as { error: string }).error;
    };
    const hour = 'the usage of 2026-01-05T18:00:00Z is archived, and known for the whole hour only';

    it('of a part of an archived hour is refused', async () => {
      await insertHour('2026-01-05T18:00:00Z');
      expect(await read400('?from=2026-01-05T18:30:00Z')).toBe(`from: ${hour}: begin on an hour of UTC`);
      expect(await read400('?from=2026-01-05T18:00:00.000001Z')).toContain('from: ');
      expect(await read400('?from=2026-01-01&to=2026-01-05T18:59:59Z')).toBe(
        `to: ${hour}: end on an hour of UTC`,
      );
      const days = '?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z&time_zone=Asia/Kolkata';
      expect(await read400(days)).toBe(`time_zone: ${hour}: use a time zone that is whole hours from UTC`);
      expect((await read(`usage${days}&granularity=hour`)).status).toBe(200);
    });

    it('of whole hours is exact', async () => {
      await insertHour('2026-01-05T18:00:00Z');
      const { body } = await read('usage?from=2026-01-05T18:00:00Z&to=2026-01-05T19:00:00Z');
      expect(body).toMatchObject({ usage: [{ quantity: 0.000007 }] });
    });

    it('of an hour without usage, or one whose events are there, is exact', async () => {
      await insertHour('2026-01-10T18:00:00Z');
      for (const query of ['?from=2026-01-05T18:30:00Z', '?from=2026-01-10T18:30:00Z'])
        expect((await read(`usage${query}`)).status).toBe(200);
    });
  });
});
