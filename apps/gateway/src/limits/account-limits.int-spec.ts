import { type LimitTier, type ModelLimits } from '@inference/rate-limits';
import { dayLasts, waitFor } from '@inference/testing';
import { type GatewayError } from '../errors/openai-error';
import {
  delayAnswers,
  delaySlots,
  LimitedProcesses,
  NONE,
  type Process,
  PROMPT_TOKENS,
  refusalOf,
  sleep,
  upkeepOf,
  WINDOW_SECONDS,
} from './limited-processes.fixture';
import { type LimitsConfig } from './limits.config';

describe('limits of accounts', () => {
  let site: LimitedProcesses;

  beforeAll(async () => (site = await LimitedProcesses.create()));
  beforeEach(() => site.newAccount());
  afterEach(() => site.stopAll());
  afterAll(() => site.database.drop());

  const start = (config?: Partial<LimitsConfig>) => site.start(config);
  const admit = (one: Process, pace: Partial<ModelLimits> | null, maxTokens?: number) =>
    site.admit(one, pace, maxTokens);

  const limits = (requestsPerMinute: number): ModelLimits => ({ ...NONE, requestsPerMinute });
  const tiers: LimitTier[] = [
    { name: 'Free', paid: 0, ageDays: 0, weight: 1, models: { '*': limits(1) } },
    { name: 'Paid', paid: 5, ageDays: 0, weight: 1, models: { '*': limits(2), other: NONE } },
    { name: 'Old', paid: 5, ageDays: 100, weight: 1, models: { '*': limits(1_000) } },
  ];
  const topUp = (picos: bigint) =>
    site.database.pool.query(
      `WITH t AS (
         INSERT INTO wallet.transfers (id, kind, account_id, reference, description)
         VALUES ('txn_' || gen_random_uuid(), 'topup', $1, 'payment:' || gen_random_uuid(), 'Top-up') RETURNING id
       ), entries AS (
         INSERT INTO wallet.entries (transfer_id, ledger_account, amount_picos)
         SELECT id, 'wallet:' || $1, $2::numeric FROM t UNION ALL SELECT id, 'provider:test', -$2::numeric FROM t
       )
       UPDATE wallet.wallets SET balance_picos = balance_picos + $2 WHERE account_id = $1`,
      [site.account.accountId, picos],
    );
  const setLimit = (requestsPerMinute: number | null, endsAt: Date | null = null) =>
    site.database.pool.query(
      `INSERT INTO limits.overrides (account_id, model, requests_per_minute, reason, set_by, ends_at)
       VALUES ($1, '*', $2, 'test', $1, $3)
       ON CONFLICT (account_id, model) DO UPDATE SET requests_per_minute = $2, ends_at = $3`,
      [site.account.accountId, requestsPerMinute, endsAt],
    );

  it('are those of the first tier, and of a higher one for what was paid', async () => {
    const first = await start({ tiers });
    await admit(first, null);
    expect((await refusalOf(admit(first, null))).details).toEqual({
      limit: 'account_requests_per_minute',
    });
    await topUp(5_000_000_000_000n);
    const second = await start({ tiers });
    expect(await admit(second, null)).not.toBeNull();
    await refusalOf(admit(second, null));
  });

  it('of tokens a day refuse until the day of the database ends, over all processes', async () => {
    await dayLasts();
    const ofDay: LimitTier[] = [{ ...tiers[0]!, models: { '*': { ...NONE, tokensPerDay: 1_000 } } }];
    const [one, other] = [await start({ tiers: ofDay }), await start({ tiers: ofDay })];
    const each = 300 + PROMPT_TOKENS;
    for (const process of [one, other, one]) expect(await admit(process, null, 300)).not.toBeNull();
    // More windows than one pass, and slices of the day end with none of them.
    for (const pauseMillis of [0, WINDOW_SECONDS * 1_500]) {
      await sleep(pauseMillis);
      for (const process of [one, other]) {
        const { code, details, message, headers } = await refusalOf(admit(process, null, 300));
        expect([code, details]).toEqual(['rate_limit_exceeded', { limit: 'account_tokens_per_day' }]);
        expect(message).toContain('1000 tokens a day for this account and model');
        const { rows } = await site.database.pool.query<{ seconds: number }>(
          `SELECT extract(epoch FROM date_trunc('day', now(), 'UTC') + interval '1 day' - now())::float8 AS seconds`,
        );
        expect(Math.abs(Number(headers!['Retry-After']) - rows[0]!.seconds)).toBeLessThan(5);
      }
    }
    // What is left of the day is still there for less.
    expect(await admit(other, null, 1_000 - 3 * each - PROMPT_TOKENS)).not.toBeNull();
    const tooLarge = await refusalOf(admit(one, null, 1_000));
    expect(tooLarge.details).toEqual({ limit: 'account_tokens_per_day' });
    expect(tooLarge.headers).toMatchObject({ 'x-should-retry': 'false' });
  });

  it('that staff sets hold within two seconds, until their end', async () => {
    const one = await start({ tiers });
    await setLimit(3);
    await waitFor(
      async () => (await admit(one, null))!.headers()['x-ratelimit-limit-requests'] === '3',
      2_000,
    );
    await setLimit(null);
    await waitFor(async () => (await admit(one, null)) !== null && (await admit(one, null)) !== null, 2_000);
    await setLimit(7, new Date(Date.now() + 1_500));
    await waitFor(
      async () => (await admit(one, null))!.headers()['x-ratelimit-limit-requests'] === '7',
      1_400,
    );
    await waitFor(
      async () =>
        (await admit(one, null).catch((error: GatewayError) => error.headers))?.[
          'x-ratelimit-limit-requests' as never
        ] === '1',
      5_000,
    );
  });

  const shows = async (one: Process, requestsPerMinute: number) => {
    const ticket = await admit(one, null);
    return ticket!.headers()['x-ratelimit-limit-requests'] === String(requestsPerMinute);
  };

  it('that staff sets, changes and removes hold in all processes within two seconds', async () => {
    const paid = [{ ...tiers[0]!, models: { '*': limits(900) } }];
    const both = [await start({ tiers: paid }), await start({ tiers: paid })];
    for (const one of both) expect(await shows(one, 900)).toBe(true);
    const inForce = async (requestsPerMinute: number, since: number) => {
      await Promise.all(both.map((one) => waitFor(() => shows(one, requestsPerMinute))));
      expect(performance.now() - since).toBeLessThan(2_000);
    };
    let since = performance.now();
    await setLimit(800);
    await inForce(800, since);
    since = performance.now();
    await setLimit(1_000);
    await inForce(1_000, since);
    since = performance.now();
    await site.database.pool.query('DELETE FROM limits.overrides WHERE account_id = $1', [
      site.account.accountId,
    ]);
    await inForce(900, since);
  });

  it('that staff sets hold although the database fails, and an earlier answer comes late', async () => {
    const [one, other] = [await start({ tiers }), await start({ tiers })];
    // Set for the other process too, which tells that a notification has arrived.
    const set = async (requestsPerMinute: number) => {
      await setLimit(requestsPerMinute);
      await waitFor(() => shows(other, requestsPerMinute));
      await sleep(100);
    };
    const failing = jest.spyOn(one.pool, 'query').mockRejectedValue(new Error('no connection') as never);
    await set(3_000);
    await waitFor(() => failing.mock.calls.length > 0);
    failing.mockRestore();
    await waitFor(() => shows(one, 3_000), 10_000);
    const answers = delayAnswers(one, 'limits.overrides');
    await setLimit(4_000);
    await answers.isDelayed;
    await set(5_000);
    answers.send();
    await waitFor(() => shows(one, 5_000));
    await sleep(100);
    expect(await shows(one, 5_000)).toBe(true);
  });

  it('hold while a request waits for what limits its key', async () => {
    const one = await start({
      tiers: [
        { name: 'Free', paid: 0, ageDays: 0, weight: 1, models: { '*': { ...NONE, maxConcurrency: 1 } } },
      ],
    });
    (await admit(one, null))!.end();
    await waitFor(async () => {
      await upkeepOf(one);
      return (one.limits as unknown as { known: Map<string, unknown> }).known.size === 0;
    });
    const answers = delaySlots(one, 'key:');
    const first = admit(one, { maxConcurrency: 5 });
    await answers.isDelayed;
    await upkeepOf(one);
    const second = await admit(one, null);
    answers.send();
    await refusalOf(first);
    second!.end();
  });

  it('and of the key must both allow, and the key’s is not charged for the other’s refusal', async () => {
    const one = await start({ tiers });
    await admit(one, { requestsPerMinute: 5 });
    for (let count = 0; count < 10; count++)
      expect((await refusalOf(admit(one, { requestsPerMinute: 5 }))).details).toEqual({
        limit: 'account_requests_per_minute',
      });
    const { rows } = await site.database.pool.query<{ used: number }>(
      `SELECT coalesce(sum(requests), 0)::float8 AS used FROM limits.slices WHERE subject_id = 'key:' || $1`,
      [site.account.apiKeyId],
    );
    expect(rows[0]!.used).toBeLessThanOrEqual(5);
  });
});
