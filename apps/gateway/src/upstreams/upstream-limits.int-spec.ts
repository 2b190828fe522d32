import { createTestDatabase, type TestDatabase, TestPool, waitFor } from '@inference/testing';
import { ENTITIES } from '../entities';
import { type LimitsConfig } from '../limits/limits.config';
import { UpstreamLoad } from './choice/chooser';
import { LimitedUpstreams, type UpstreamLimits, UpstreamTicket } from './upstream-limits';

const WINDOW_SECONDS = 2;
const CONFIG: LimitsConfig = {
  tiers: [],
  windowSeconds: WINDOW_SECONDS,
  sliceSeconds: 0.17,
  slotsTtlSeconds: 1.2,
};
const WINDOWS = 1.5;
/** Of each process at a time. */
const CLIENTS = 4;
/** Of a client after each call: shorter ones admit no more, and keep a processor busy. */
const PAUSE_MILLIS = 5;
const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

interface Settings {
  requestsPerMinute?: number | null;
  tokensPerMinute?: number | null;
  concurrency?: number | null;
}

/** As one gateway process has the upstream. */
interface Process {
  all: LimitedUpstreams;
  load: UpstreamLoad;
  pool: TestPool;
  set(settings: Settings): UpstreamLimits | undefined;
  stop(): Promise<void>;
  /** Without giving anything back. */
  kill(): Promise<void>;
}

interface Admitted {
  at: number;
  tokens: number;
}

describe('limits of an upstream that gateway processes share', () => {
  let database: TestDatabase;
  let processes: Process[];
  let upstreams = 0;

  beforeAll(async () => (database = await createTestDatabase(ENTITIES)));
  beforeEach(() => {
    processes = [];
    upstreams++;
  });
  afterEach(() => Promise.all(processes.map((one) => one.stop())));
  afterAll(() => database.drop());

  async function start(settings: Settings = {}): Promise<Process> {
    const id = `ups_${upstreams}`;
    const url = database.urlFor('gateway');
    const pool = await TestPool.withEntities({ url, applicationName: 'limits', size: 4 }, ENTITIES);
    const all = new LimitedUpstreams(pool, CONFIG);
    const load = new UpstreamLoad();
    all.onModuleInit();
    let stopped: Promise<void> | undefined;
    const end = async (isGraceful: boolean) => {
      if (isGraceful) await all.onApplicationShutdown();
      else clearInterval((all as unknown as { timer: NodeJS.Timeout }).timer);
      await pool.end();
    };
    const set = (changed: Settings) =>
      all.of({ id, requestsPerMinute: null, tokensPerMinute: null, concurrency: null, ...changed }, load);
    set(settings);
    const started = {
      ...{ all, load, pool, set },
      stop: () => (stopped ??= end(true)),
      kill: () => (stopped ??= end(false)),
    };
    processes.push(started);
    return started;
  }

  const sizeOf = (promptTokens: number, outputTokens = 0) => ({
    promptTokens: () => promptTokens,
    outputTokens,
    answers: 1,
  });

  async function take(limits: UpstreamLimits, size = sizeOf(10)): Promise<UpstreamTicket | null> {
    const taken = await limits.take('m', size);
    return taken instanceof UpstreamTicket ? taken : null;
  }

  /** Calls the upstream nearly without a pause for some windows. Returns when calls were admitted, and what they have used. */
  async function hammer(
    targets: Process[],
    settings: Settings,
    { windows = WINDOWS, size = sizeOf(10), used = 10, callMillis = 0 } = {},
  ) {
    const admitted: Admitted[] = [];
    const until = performance.now() + windows * WINDOW_SECONDS * 1000;
    const client = async (limits: UpstreamLimits) => {
      while (performance.now() < until) {
        const ticket = await take(limits, size);
        if (ticket) {
          admitted.push({ at: performance.now(), tokens: used });
          if (callMillis > 0) await sleep(callMillis);
          ticket.used(used);
          ticket.release();
        }
        await sleep(PAUSE_MILLIS);
      }
    };
    await Promise.all(
      targets.flatMap((one) => {
        const limits = one.set(settings)!;
        return Array.from({ length: CLIENTS }, () => client(limits));
      }),
    );
    return admitted.sort((a, b) => a.at - b.at);
  }

  function mostInAWindow(admitted: Admitted[], weightOf: (one: Admitted) => number): number {
    let [most, sum, first] = [0, 0, 0];
    for (const one of admitted) {
      sum += weightOf(one);
      while (one.at - admitted[first]!.at >= WINDOW_SECONDS * 1000) sum -= weightOf(admitted[first++]!);
      most = Math.max(most, sum);
    }
    return most;
  }
  const sumOf = (admitted: Admitted[]) => admitted.reduce((sum, { tokens }) => sum + tokens, 0);

  describe('of requests', () => {
    const settings = { requestsPerMinute: 60 };

    it.each([1, 3])('are never exceeded in any window by %i processes, and reached', async (count) => {
      const all = await Promise.all(Array.from({ length: count }, () => start()));
      const admitted = await hammer(all, settings);
      expect(mostInAWindow(admitted, () => 1)).toBeLessThanOrEqual(60);
      expect(admitted.length).toBeGreaterThanOrEqual(60 * WINDOWS * (count === 1 ? 0.9 : 0.7));
    });

    it('are not exceeded when a process joins, leaves or is killed', async () => {
      const [one, other] = [await start(), await start()];
      const steady = hammer([one], settings, { windows: 5.5 });
      const parts = [await hammer([other], settings, { windows: 1.4 })];
      await other.stop();
      const third = await start();
      parts.push(await hammer([third], settings, { windows: 1.4 }));
      await third.kill();
      parts.push(await hammer([await start()], settings, { windows: 1.4 }));
      const admitted = [...(await steady), ...parts.flat()].sort((a, b) => a.at - b.at);
      expect(mostInAWindow(admitted, () => 1)).toBeLessThanOrEqual(60);
      expect(parts.every((part) => part.length > 0)).toBe(true);
    });

    it('of two a minute admit two', async () => {
      const both = [await start(), await start()];
      const admitted = await hammer(both, { requestsPerMinute: 2 }, { windows: 0.9 });
      expect(admitted).toHaveLength(2);
    });

    it('say when there is room again', async () => {
      const one = await start();
      const limits = one.set({ requestsPerMinute: 1 })!;
      expect(limits.isFull()).toBe(false);
      (await take(limits))!.release();
      const refused = await limits.take('m', sizeOf(10));
      expect(refused).toEqual({ waitMillis: expect.any(Number) as number });
      expect((refused as { waitMillis: number }).waitMillis).toBeGreaterThan(WINDOW_SECONDS * 1000 * 0.7);
      expect(limits.isFull()).toBe(true);
    });

    it('take no slot for a call that is refused', async () => {
      const one = await start();
      const limits = one.set({ requestsPerMinute: 1, concurrency: 2 })!;
      await take(limits);
      for (let call = 0; call < 5; call++) expect(await take(limits)).toBeNull();
      expect(await take(one.set({ concurrency: 2 })!)).not.toBeNull();
      expect(await take(limits)).toBeNull();
    });

    it('do not count a call that is not made', async () => {
      const limits = (await start()).set({ requestsPerMinute: 1, concurrency: 1 })!;
      (await take(limits))!.cancel();
      expect(await take(limits)).not.toBeNull();
      expect(await take(limits)).toBeNull();
    });
  });

  describe('of tokens', () => {
    const settings = { tokensPerMinute: 12_000 };

    it.each([1, 3])(
      'are never exceeded in any window by %i processes, and reached although calls use less than was expected',
      async (count) => {
        const all = await Promise.all(Array.from({ length: count }, () => start()));
        // Expected are 300, used 100.
        const size = sizeOf(50, 250);
        for (const one of all) one.set(settings)!.learn('m', 250, 1);
        const admitted = await hammer(all, settings, { size, used: 100, callMillis: 20 });
        expect(mostInAWindow(admitted, ({ tokens }) => tokens)).toBeLessThanOrEqual(12_000);
        expect(sumOf(admitted)).toBeGreaterThanOrEqual(12_000 * WINDOWS * (count === 1 ? 0.9 : 0.7));
      },
    );

    it('that calls use beyond what was expected delay later ones, of other processes too', async () => {
      const [one, other] = [await start(), await start()];
      // Of a model that is not known yet, a twelfth is set aside for the answer.
      const ticket = await take(one.set(settings)!, sizeOf(100, 20_000));
      expect(ticket).toMatchObject({ tokens: 100 + 1_000 });
      ticket!.used(100 + 18_000);
      ticket!.release();
      const limits = other.set(settings)!;
      await waitFor(async () => (await take(limits, sizeOf(100))) === null);
      const since = performance.now();
      await waitFor(async () => (await take(limits, sizeOf(100))) !== null, 10_000);
      expect(performance.now() - since).toBeGreaterThan(WINDOW_SECONDS * 1000 * 0.7);
    });

    it('let a call in that is larger than the limit when nothing else is counted, and refuse smaller ones then', async () => {
      const limits = (await start()).set(settings)!;
      expect(await take(limits, sizeOf(100_000))).toMatchObject({ tokens: 12_000 });
      expect(await take(limits, sizeOf(100))).toBeNull();
    });

    it('refuse no small call because of a large one', async () => {
      const limits = (await start()).set(settings)!;
      expect(await take(limits, sizeOf(5_000))).not.toBeNull();
      expect(await take(limits, sizeOf(11_000))).toBeNull();
      expect(limits.isFull()).toBe(false);
      expect(await take(limits, sizeOf(100))).not.toBeNull();
    });
  });

  describe('of running calls', () => {
    const concurrency = 12;

    /** As `hammer`, with calls that take a while. Returns the most and the mean that ran at a time. */
    async function run(targets: Promise<Process>[], seconds: number, callMillis = 40) {
      let [running, most, busyMillis] = [0, 0, 0];
      const begin = performance.now();
      const until = begin + seconds * 1000;
      const client = async (one: Process, limits: UpstreamLimits) => {
        while (performance.now() < until) {
          const ticket = await take(limits);
          if (ticket) {
            const since = performance.now();
            one.load.begin(since);
            most = Math.max(most, ++running);
            await sleep(callMillis * (0.5 + Math.random()));
            running--;
            busyMillis += performance.now() - since;
            one.load.end();
            ticket.release();
          } else await sleep(PAUSE_MILLIS);
        }
      };
      await Promise.all(
        targets.map(async (starting) => {
          const one = await starting;
          const limits = one.set({ concurrency })!;
          await Promise.all(Array.from({ length: 2 * concurrency }, () => client(one, limits)));
        }),
      );
      return { most, mean: busyMillis / (performance.now() - begin) };
    }

    it('are reached by one process alone', async () => {
      const one = await start();
      const { most, mean } = await run([Promise.resolve(one)], 4);
      expect(most).toBe(concurrency);
      expect(mean).toBeGreaterThan(concurrency * 0.9);
    });

    it.each([3])('are never exceeded by %i processes that join one after the other', async (count) => {
      const joining = async (index: number) => {
        await sleep(index * 700);
        return start();
      };
      const { most } = await run(
        Array.from({ length: count }, (_, index) => joining(index)),
        4,
      );
      expect(most).toBeLessThanOrEqual(concurrency);
      expect(most).toBeGreaterThan(concurrency * 0.75);
    });

    it('hold while a call runs for longer than slots live, and its process joined first', async () => {
      const [one, other] = [await start(), await start()];
      const ticket = await take(one.set({ concurrency: 1 })!);
      await sleep(CONFIG.slotsTtlSeconds * 2_000);
      const limits = other.set({ concurrency: 1 })!;
      expect(await take(limits)).toBeNull();
      ticket!.release();
      (await waitFor(() => take(limits)))!.release();
    });

    it('come back from a process that stops at once, and from one that was killed soon', async () => {
      const [one, other, third] = [await start(), await start(), await start()];
      (await take(one.set({ concurrency: 1 })!))!.release();
      await one.stop();
      const ticket = await take(other.set({ concurrency: 1 })!);
      expect(ticket).not.toBeNull();
      await other.kill();
      const limits = third.set({ concurrency: 1 })!;
      expect(await take(limits)).toBeNull();
      const since = performance.now();
      await waitFor(() => take(limits), 10_000);
      expect(performance.now() - since).toBeLessThan(CONFIG.slotsTtlSeconds * 1000 + 3_000);
    });

    it('count calls that ran before there was a limit', async () => {
      const one = await start();
      one.load.begin(0);
      one.load.begin(0);
      const limits = one.set({ concurrency: 3 })!;
      const ticket = await take(limits);
      expect(ticket).not.toBeNull();
      expect(await take(limits)).toBeNull();
      one.load.end();
      limits.endedUncounted();
      const next = await take(limits);
      expect(next).not.toBeNull();
      one.load.end();
      limits.endedUncounted();
      // There are no others.
      limits.endedUncounted();
      expect([await take(limits), await take(limits)]).toEqual([expect.any(UpstreamTicket), null]);
    });

    it('forget calls that ran before, when there is no limit any more', async () => {
      const one = await start();
      one.load.begin(0);
      one.set({ concurrency: 3 });
      expect(one.set({})).toBeUndefined();
      one.load.end();
      const limits = one.set({ concurrency: 1 })!;
      expect([await take(limits), await take(limits)]).toEqual([expect.any(UpstreamTicket), null]);
    });

    it('leave a process what the others do not hold', async () => {
      const [one, other] = [await start(), await start()];
      for (let call = 0; call < 3; call++) await take(one.set({ concurrency: 6 })!);
      const limits = other.set({ concurrency: 6 })!;
      await take(limits);
      expect(limits.roomFor('running', 1)).toBe(3);
      expect(limits.roomFor('requests', 1)).toBeNull();
    });
  });

  it('that change are in force at once', async () => {
    const one = await start();
    for (let call = 0; call < 20; call++) (await take(one.set({ requestsPerMinute: 100 })!))!.release();
    expect(await take(one.set({ requestsPerMinute: 20 })!)).toBeNull();
    expect(await take(one.set({ requestsPerMinute: 100 })!)).not.toBeNull();
    expect(one.set({})).toBeUndefined();
    // What was counted before is still counted.
    expect(await take(one.set({ requestsPerMinute: 20 })!)).toBeNull();
  });

  it('cost no statement where there are none, and none for a refusal', async () => {
    const one = await start();
    const statements = jest.spyOn(one.pool, 'query');
    expect(one.set({})).toBeUndefined();
    await sleep(1_200);
    expect(statements).not.toHaveBeenCalled();
    const limits = one.set({ requestsPerMinute: 1 })!;
    await take(limits);
    await take(limits);
    statements.mockClear();
    for (let call = 0; call < 50; call++) expect(limits.take('m', sizeOf(10))).not.toBeInstanceOf(Promise);
    expect(statements.mock.calls.filter(([query]) => JSON.stringify(query).includes('draw'))).toEqual([]);
  });

  it('are taken as reached without the database, from what was drawn on', async () => {
    const one = await start();
    for (const settings of [{ requestsPerMinute: 600 }, { concurrency: 80 }]) {
      const limits = one.set(settings)!;
      (await take(limits))!.release();
      const failing = jest.spyOn(one.pool, 'query').mockRejectedValue(new Error('no connection') as never);
      // Drawn before.
      (await take(limits))!.release();
      const tickets: UpstreamTicket[] = [];
      await waitFor(async () => {
        const ticket = await take(limits);
        if (ticket) tickets.push(ticket);
        return ticket === null;
      }, 5_000);
      expect(limits.isFull()).toBe(true);
      for (const ticket of tickets) ticket.release();
      failing.mockRestore();
      (await waitFor(() => take(limits), 5_000))!.release();
    }
  });

  it('are taken as reached if the database does not answer, and what it grants later is given back', async () => {
    const one = await start();
    const limits = one.set({ requestsPerMinute: 1, concurrency: 1 })!;
    const query = one.pool.query.bind(one.pool) as (...args: unknown[]) => Promise<never>;
    let answer!: () => void;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const slow = jest.spyOn(one.pool, 'query').mockImplementation(async (...args: unknown[]) => {
      const result = await query(...args);
      await answered;
      return result;
    });
    const since = performance.now();
    expect(await take(limits)).toBeNull();
    expect(performance.now() - since).toBeLessThan(4_000);
    slow.mockRestore();
    answer();
    expect(await waitFor(() => take(limits), 5_000)).not.toBeNull();
  });
});
