import { type ModelLimits } from '@inference/rate-limits';
import { dayLasts, waitFor } from '@inference/testing';
import { GatewayError } from '../errors/openai-error';
import {
  CONFIG,
  delaySlots,
  LimitedProcesses,
  type Process,
  PROMPT_TOKENS,
  refusalOf,
  sleep,
  upkeepOf,
  WINDOW_SECONDS,
} from './limited-processes.fixture';
import { type LimitsConfig } from './limits.config';
import { type LimitTicket } from './limits.service';

/** Of a client after each request: shorter ones admit no more, and keep a processor busy. */
const PAUSE_MILLIS = 5;

describe('limits that gateway processes share', () => {
  let site: LimitedProcesses;

  beforeAll(async () => (site = await LimitedProcesses.create()));
  beforeEach(() => site.newAccount());
  afterEach(() => site.stopAll());
  afterAll(() => site.database.drop());

  const start = (config?: Partial<LimitsConfig>) => site.start(config);
  const admit = (one: Process, pace: Partial<ModelLimits> | null, maxTokens?: number) =>
    site.admit(one, pace, maxTokens);

  /** Sends requests nearly without a pause for some seconds. Returns when which were admitted. */
  async function hammer(targets: Process[], pace: Partial<ModelLimits>, seconds: number, tokens: number) {
    const admissions: number[] = [];
    const until = performance.now() + seconds * 1000;
    const send = async (one: Process) => {
      while (performance.now() < until) {
        await admit(one, pace, tokens).then(
          (ticket) => {
            admissions.push(performance.now());
            ticket?.end();
          },
          (error: unknown) => {
            if (!(error instanceof GatewayError)) throw error;
          },
        );
        await sleep(PAUSE_MILLIS);
      }
    };
    await Promise.all(targets.flatMap((one) => [send(one), send(one), send(one)]));
    return admissions.sort((a, b) => a - b);
  }

  function mostInAWindow(admissions: number[], windowMillis: number): number {
    let most = 0;
    for (let first = 0, last = 0; last < admissions.length; last++) {
      while (admissions[last]! - admissions[first]! >= windowMillis) first++;
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  it('are never exceeded in any window by two processes, and reached by them', async () => {
    const both = [await start(), await start()];
    const windows = 2.5;
    const admissions = await hammer(both, { requestsPerMinute: 60 }, windows * WINDOW_SECONDS, 10);
    expect(mostInAWindow(admissions, WINDOW_SECONDS * 1000)).toBeLessThanOrEqual(60);
    expect(admissions.length).toBeGreaterThan(60 * windows * 0.7);
  });

  it('of tokens are never exceeded in any window, and nine tenths are reached by one process', async () => {
    const one = await start();
    const each = 100 + PROMPT_TOKENS;
    const tokensPerMinute = 120 * each;
    const windows = 2.5;
    const admissions = await hammer([one], { tokensPerMinute }, windows * WINDOW_SECONDS, 100);
    expect(mostInAWindow(admissions, WINDOW_SECONDS * 1000)).toBeLessThanOrEqual(120);
    expect(admissions.length).toBeGreaterThanOrEqual(120 * windows * 0.9);
  });

  it('of one a minute admit one', async () => {
    const both = [await start(), await start()];
    const admissions = await hammer(both, { requestsPerMinute: 1 }, WINDOW_SECONDS * 0.9, 10);
    expect(admissions).toHaveLength(1);
  });

  it('of ten million a minute are drawn a few times only', async () => {
    const one = await start();
    const statements = jest.spyOn(one.pool, 'query');
    for (let count = 0; count < 500; count++)
      (await admit(one, { requestsPerMinute: 10_000_000, tokensPerMinute: 10_000_000 }))!.end();
    const draws = statements.mock.calls.filter(([query]) => JSON.stringify(query).includes('limits.draw'));
    expect(draws.length).toBeLessThan(60);
  });

  it('cost no statement without limits, and a refusal costs none', async () => {
    const one = await start();
    const statements = jest.spyOn(one.pool, 'query');
    for (let count = 0; count < 20; count++) expect(await admit(one, null)).toBeNull();
    expect(statements).not.toHaveBeenCalled();
    await admit(one, { requestsPerMinute: 1 });
    await refusalOf(admit(one, { requestsPerMinute: 1 }));
    statements.mockClear();
    for (let count = 0; count < 50; count++) await refusalOf(admit(one, { requestsPerMinute: 1 }));
    const draws = statements.mock.calls.filter(([query]) => JSON.stringify(query).includes('limits.draw'));
    expect(draws).toHaveLength(0);
  });

  it('name themselves, tell when to try again and what is left', async () => {
    const one = await start();
    const pace = { requestsPerMinute: 2, tokensPerMinute: 1_000 };
    const ticket = await admit(one, pace, 92);
    expect(ticket!.headers()).toEqual({
      'x-ratelimit-limit-requests': '2',
      'x-ratelimit-remaining-requests': '1',
      'x-ratelimit-reset-requests': expect.stringMatching(/^\d(\.\d+)?s$/) as string,
      'x-ratelimit-limit-tokens': '1000',
      'x-ratelimit-remaining-tokens': String(1_000 - 92 - PROMPT_TOKENS),
      'x-ratelimit-reset-tokens': expect.stringMatching(/^\d(\.\d+)?s$/) as string,
    });
    await admit(one, pace);
    const { code, details, headers } = await refusalOf(admit(one, pace));
    expect([code, details]).toEqual(['rate_limit_exceeded', { limit: 'key_requests_per_minute' }]);
    expect(headers).toMatchObject({ 'x-ratelimit-remaining-requests': '0' });
    expect(Number(headers!['Retry-After'])).toBeGreaterThanOrEqual(1);
    expect(Number(headers!['Retry-After'])).toBeLessThanOrEqual(WINDOW_SECONDS + 2);
    await sleep(Number(headers!['Retry-After']) * 1000);
    expect(await admit(one, pace)).not.toBeNull();
    const tooLarge = await refusalOf(admit(one, { tokensPerMinute: 100 }, 200));
    expect(tooLarge.details).toEqual({ limit: 'key_tokens_per_minute' });
    expect(tooLarge.headers).toMatchObject({ 'x-should-retry': 'false' });
    expect(await one.metrics.registry.getSingleMetricAsString('gateway_limit_refusals_total')).toContain(
      'limit="key_tokens_per_minute"} 1',
    );
  });

  it.each([60, -60])(
    'tell instants of the database’s clock where the own one is off by %i s',
    async (seconds) => {
      const now = Date.now.bind(Date);
      const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + seconds * 1_000);
      try {
        const one = await start();
        // It asks for the time of the database at its start, and may admit before it has the answer.
        await upkeepOf(one);
        const request = site.requestOf({ requestsPerMinute: 100, tokensPerMinute: 100_000 });
        const ticket = await one.limits.admit({
          ...request,
          call: { ...request.call, endpoint: 'messages' as const },
        });
        const { rows } = await site.database.pool.query<{ now: number }>(
          'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
        );
        const headers = ticket!.headers();
        for (const unit of ['requests', 'tokens']) {
          const reset = Date.parse(headers[`anthropic-ratelimit-${unit}-reset`]!) - rows[0]!.now;
          expect(reset).toBeGreaterThan(0);
          expect(reset).toBeLessThan((WINDOW_SECONDS + 1) * 1_000);
        }
      } finally {
        clock.mockRestore();
      }
    },
  );

  it('tell in metrics how many calls were admitted while more than four fifths were used', async () => {
    const one = await start();
    const countsOf = async (metric: string) => {
      const { values } = await one.metrics.registry.getSingleMetric(metric)!.get();
      return Object.fromEntries(values.map(({ labels, value }) => [labels.limit, value]));
    };
    const metric = 'gateway_tight_limit_requests_total';
    const none = {
      key_requests_per_minute: 0,
      key_tokens_per_minute: 0,
      key_concurrency: 0,
      account_requests_per_minute: 0,
      account_tokens_per_minute: 0,
      account_tokens_per_day: 0,
      account_concurrency: 0,
    };
    expect(await countsOf(metric)).toEqual(none);
    expect(await countsOf('gateway_limit_refusals_total')).toEqual(none);
    const pace = { requestsPerMinute: 10, maxConcurrency: 9 };
    const open: (LimitTicket | null)[] = [];
    while (open.length < 7) open.push(await admit(one, pace));
    expect(await countsOf(metric)).toEqual(none);
    open.push(await admit(one, pace));
    expect(await countsOf(metric)).toEqual({ ...none, key_concurrency: 1 });
    open.push(await admit(one, pace));
    expect(await countsOf(metric)).toEqual({ ...none, key_concurrency: 2, key_requests_per_minute: 1 });
    for (const ticket of open) ticket!.end();
    await admit(one, pace);
    expect(await countsOf(metric)).toEqual({ ...none, key_concurrency: 2, key_requests_per_minute: 2 });
    await refusalOf(admit(one, pace));
    expect(await countsOf(metric)).toMatchObject({ key_requests_per_minute: 2 });
    expect(await countsOf('gateway_limit_refusals_total')).toEqual({ ...none, key_requests_per_minute: 1 });
  });

  it('count the mean of lately for each answer of a request', async () => {
    const one = await start();
    const request = {
      ...site.requestOf({ tokensPerMinute: 100_000 }, 10_000),
      namesOutput: false,
      answers: 4,
    };
    const first = await one.limits.admit(request);
    first!.used({ input: PROMPT_TOKENS, output: 4 * 100 });
    first!.cancel();
    const before = Number(first!.headers()['x-ratelimit-remaining-tokens']);
    const second = await one.limits.admit(request);
    const after = Number(second!.headers()['x-ratelimit-remaining-tokens']);
    expect(before - after).toBe(PROMPT_TOKENS + 4 * 100);
  });

  it('make what a call uses beyond its count a debt of later calls, of other processes too', async () => {
    const [one, other] = [await start(), await start()];
    const pace = { tokensPerMinute: 1_000 };
    const ticket = await admit(one, pace, 100);
    ticket!.used({ input: PROMPT_TOKENS, output: 100 + 1_500 });
    ticket!.end();
    // The debt is above the limit, so it lasts for longer than one window.
    await waitFor(async () => (await admit(other, pace, 100).catch(() => null)) === null);
    const since = performance.now();
    await waitFor(async () => (await admit(other, pace, 100).catch(() => null)) !== null, 10_000);
    expect(performance.now() - since).toBeGreaterThan(WINDOW_SECONDS * 1000 * 0.7);
  });

  it('do not count a request that is refused for another reason', async () => {
    const one = await start();
    const pace = { requestsPerMinute: 1, maxConcurrency: 1 };
    const ticket = await admit(one, pace);
    ticket!.cancel();
    expect(await admit(one, pace)).not.toBeNull();
  });

  it('of running calls hold over processes, and end with the call', async () => {
    const [one, other] = [await start(), await start()];
    const pace = { maxConcurrency: 3 };
    const tickets = await Promise.all([admit(one, pace), admit(other, pace), admit(one, pace)]);
    for (const process of [one, other])
      expect((await refusalOf(admit(process, pace))).details).toEqual({ limit: 'key_concurrency' });
    tickets[0]!.end();
    // What a process does not use comes to the others.
    const next = await waitFor(() => admit(other, pace).catch(() => null));
    await refusalOf(admit(one, pace));
    next!.end();
  });

  it('of running calls cost a burst of requests a few statements', async () => {
    const one = await start();
    const pace = { maxConcurrency: 10 };
    const answers = delaySlots(one);
    const burst = Array.from({ length: 100 }, () => admit(one, pace).catch(() => null));
    await answers.isDelayed;
    answers.send();
    const tickets = (await Promise.all(burst)).filter((ticket) => ticket !== null);
    expect(tickets).toHaveLength(10);
    const asked = answers.statements.mock.calls.filter((call) => JSON.stringify(call).includes('hold_slots'));
    expect(asked.length).toBeLessThan(10);
    for (const ticket of tickets) ticket.end();
  });

  it('of running calls are not given back and asked for again all the time while half of the limit is free', async () => {
    const one = await start({ slotsTtlSeconds: 600 });
    const statements = jest.spyOn(one.pool, 'query');
    for (let round = 0; round < 20; round++) {
      const calls = 3 + (round % 3);
      const tickets = await Promise.all(
        Array.from({ length: calls }, () => admit(one, { maxConcurrency: 100 })),
      );
      await upkeepOf(one);
      for (const ticket of tickets) ticket!.end();
    }
    const asked = statements.mock.calls.filter((call) => JSON.stringify(call).includes('hold_slots'));
    expect(asked.length).toBeLessThan(8);
  });

  it('of running calls come back from a process that was killed', async () => {
    const [one, other] = [await start(), await start()];
    const pace = { maxConcurrency: 1 };
    await admit(one, pace);
    await refusalOf(admit(other, pace));
    await one.kill();
    const since = performance.now();
    await waitFor(() => admit(other, pace).catch(() => null), 10_000);
    expect(performance.now() - since).toBeLessThan(CONFIG.slotsTtlSeconds * 1000 + 3_000);
  });

  it('are kept while a call runs for longer than slots live', async () => {
    const [one, other] = [await start(), await start()];
    const pace = { maxConcurrency: 1 };
    const ticket = await admit(one, pace);
    await sleep(CONFIG.slotsTtlSeconds * 2_000);
    await refusalOf(admit(other, pace));
    ticket!.end();
  });

  it('of running calls are given away only after the process that had them has stopped to use them', async () => {
    const [one, other] = [await start(), await start()];
    const pace = { maxConcurrency: 1 };
    (await admit(one, pace))!.end();
    const answers = delaySlots(one);
    await waitFor(async () => (await Promise.race([answers.isDelayed, upkeepOf(one)])) === 'delayed');
    const ticket = await waitFor(() => admit(other, pace).catch(() => null));
    const admission = admit(one, pace);
    answers.send();
    await refusalOf(admission);
    ticket!.end();
  });

  describe('have a history', () => {
    beforeEach(dayLasts);

    const read = async () => {
      const { rows } = await site.database.pool.query<Record<string, number>>(
        `SELECT requests::float8, request_limit::float8, tokens::float8, running, running_limit, refused_requests::float8,
           refused_tokens::float8 FROM limits.day_uses WHERE account_id = $1 AND subject_id = 'key:' || $2`,
        [site.account.accountId, site.account.apiKeyId],
      );
      return rows;
    };

    it('of exactly what all processes have admitted, and refused', async () => {
      const minute = { windowSeconds: 60, sliceSeconds: 5 };
      const [one, other] = [await start(minute), await start(minute)];
      const pace = { requestsPerMinute: 50, tokensPerMinute: 100_000, maxConcurrency: 6 };
      const held = [await admit(one, pace), await admit(other, pace), await admit(other, pace)];
      (await admit(one, pace))!.cancel();
      held.push(await admit(one, pace), await admit(one, pace));
      // Of calls that run in one part of a minute at least, wherever it begins.
      for (let turn = 0; turn < 2; turn++) for (const process of [one, other]) await upkeepOf(process);
      held[0]!.used({ input: PROMPT_TOKENS, output: 10 + 500 });
      for (const ticket of held) ticket!.end();
      let admitted = held.length;
      await expect(
        (async () => {
          for (; admitted <= 50; admitted++) (await admit(one, pace))!.end();
        })(),
      ).rejects.toThrow('requests a minute');
      await refusalOf(admit(one, pace, 200_000));
      await Promise.all([one.stop(), other.stop()]);
      expect(await read()).toEqual([
        {
          ...{ requests: admitted, request_limit: 50, running: 5, running_limit: 6 },
          ...{ tokens: admitted * (PROMPT_TOKENS + 10) + 500, refused_requests: 1, refused_tokens: 1 },
        },
      ]);
      expect(admitted).toBeGreaterThan(held.length);
    });

    it('costs a statement for many requests, and none of its own for one without limits', async () => {
      const one = await start({ windowSeconds: 60, sliceSeconds: 5 });
      const statements = jest.spyOn(one.pool, 'query');
      for (let count = 0; count < 20; count++) await admit(one, null);
      const pace = { requestsPerMinute: 1_000, maxConcurrency: 100 };
      for (let count = 0; count < 50; count++) (await admit(one, pace))!.end();
      await one.stop();
      const told = statements.mock.calls.filter(([query]) => JSON.stringify(query).includes('note_use'));
      expect(told.length).toBeLessThanOrEqual(2);
      expect(await read()).toMatchObject([{ requests: 50, request_limit: 1_000 }]);
    });
  });

  it('that change are in force at once', async () => {
    const one = await start();
    for (let count = 0; count < 20; count++) (await admit(one, { requestsPerMinute: 100 }))!.end();
    await refusalOf(admit(one, { requestsPerMinute: 20 }));
    (await admit(one, { requestsPerMinute: 100 }))!.end();
  });
});
