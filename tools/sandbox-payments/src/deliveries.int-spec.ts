import { waitFor } from '@inference/testing';
import { type InjectedFaults, injectedFaults } from './injected-faults';
import { Deliveries, type DeliveriesOptions } from './deliveries';
import { TestMerchant } from './merchant.fixture';
import { type Order } from './orders/order';

const order = (id: string, changes: Partial<Order> = {}): Order => ({
  ...{ id, provider: 'alipay', amountMinor: 100, currency: 'CNY', description: '', status: 'paid' },
  ...{ reference: 'r', createdAt: '', expiresAt: '', paidAt: null, payer: { name: '', email: '' } },
  ...{ notifyUrl: 'http://merchant.invalid/hook?x=1', returnUrl: null, refunds: [], details: {} },
  ...changes,
});

describe('deliveries', () => {
  let merchant: TestMerchant;
  let faults: InjectedFaults;
  let origin: string | null;
  let deliveries: Deliveries;
  const started: Deliveries[] = [];

  /** Starts deliveries whose notifications contain the order's id, the number of its refunds and the faults. */
  const start = (options: Partial<DeliveriesOptions> = {}) => {
    const made = new Deliveries({
      injectedFaults: () => faults,
      merchant: () => origin,
      notification: ({ id, notifyUrl, refunds, status }, faults) =>
        status === 'open' || notifyUrl === null
          ? null
          : { url: notifyUrl, headers: {}, body: JSON.stringify({ id, refunds: refunds.length, faults }) },
      isAcknowledged: (_, { body }) => body === 'success',
      keep: async () => {},
      ...options,
    });
    started.push(made);
    return made;
  };
  const injectFaults = (what: Parameters<typeof injectedFaults.parse>[0]) =>
    (faults = injectedFaults.parse(what));
  const said = () =>
    merchant.received.map(({ body }) => JSON.parse(body) as { id: string; refunds: number; faults: object });

  beforeEach(async () => {
    merchant = await TestMerchant.start();
    origin = merchant.url;
    injectFaults({});
    deliveries = start();
  });
  afterEach(async () => {
    for (const each of started.splice(0)) each.close();
    await merchant.close();
  });

  it('go to the configured merchant, and are recorded', async () => {
    deliveries.announce(order('a'));
    const [delivery] = await waitFor(() => deliveries.of('a').length > 0 && deliveries.of('a'));
    expect(delivery).toEqual({
      ...{
        attempt: 1,
        orderStatus: 'paid',
        refunds: 0,
        url: `${merchant.url}/hook?x=1`,
        faults: [],
        status: 200,
      },
      ...{ body: 'success', error: null, acknowledged: true, sentAt: expect.any(String) },
    });
    expect(merchant.received[0]!.path).toBe('/hook?x=1');
    expect(deliveries.waiting('a')).toBe(0);
    origin = null;
    deliveries.announce(order('b', { notifyUrl: `${merchant.url}/own` }));
    await waitFor(() => deliveries.of('b').length > 0);
    expect(merchant.received[1]!.path).toBe('/own');
  });

  it('are not made for an order without a notification', async () => {
    deliveries.announce(order('a', { status: 'open' }));
    expect(deliveries.state()).toEqual({ jobs: [], sent: [] });
  });

  it('are retried with increasing delays until they are acknowledged', async () => {
    const port = Number(new URL(merchant.url).port);
    await merchant.close();
    deliveries.announce(order('a'));
    await waitFor(() => deliveries.of('a').length === 1);
    expect(deliveries.waiting('a')).toBe(1);
    merchant = await TestMerchant.start(port);
    merchant.statuses = [500];
    const all = await waitFor(() => deliveries.of('a').length === 3 && deliveries.of('a'));
    expect(all.map(({ attempt, status, acknowledged }) => [attempt, status, acknowledged])).toEqual([
      [1, null, false],
      [2, 500, false],
      [3, 200, true],
    ]);
    expect(all[0]!.error).toContain('ECONNREFUSED');
    const [first, second, third] = all.map(({ sentAt }) => Date.parse(sentAt)) as [number, number, number];
    // A timer may end a millisecond early by the clock.
    expect(second - first).toBeGreaterThan(995);
    expect(third - second).toBeGreaterThan(1_995);
    expect(deliveries.waiting('a')).toBe(0);
  });

  it('end after ten attempts', async () => {
    merchant.statuses = [500, 500];
    const job = { order: order('a'), dueAt: 0, held: false, faults: null };
    deliveries.resume({ jobs: [{ ...job, attempt: 9 }], sent: [] });
    await waitFor(() => deliveries.of('a').length === 1);
    const [again] = deliveries.state().jobs;
    expect(again).toMatchObject({ attempt: 10 });
    // 1 s after the first, twice as long after each of the next eight.
    expect(again!.dueAt).toBeGreaterThan(Date.now() + 200_000);
    deliveries.close();
    const next = start();
    next.resume({ jobs: [{ ...again!, dueAt: 0 }], sent: [] });
    await waitFor(() => next.of('a').length === 1);
    expect(next.state().jobs).toEqual([]);
  });

  it('contain the state of the order at the time of the event', async () => {
    injectFaults({ reorder: true });
    const paid = order('a');
    deliveries.announce(paid);
    paid.refunds.push({ id: 'rf', reference: 'r', amountMinor: 1, createdAt: '' });
    deliveries.announce(paid);
    expect(deliveries.flush()).toBe(2);
    await waitFor(() => merchant.received.length === 2);
    expect(
      said()
        .map(({ refunds }) => refunds)
        .sort(),
    ).toEqual([0, 1]);
    await waitFor(() => deliveries.of('a').length === 2);
    expect(
      deliveries
        .of('a')
        .map(({ refunds }) => refunds)
        .sort(),
    ).toEqual([0, 1]);
  });

  it('can be duplicated, delayed, and held until a flush in random order', async () => {
    injectFaults({ duplicate: 3, delay_ms: 100 });
    deliveries.announce(order('a'));
    await waitFor(() => deliveries.of('a').length === 3);
    injectFaults({ delay_ms: 600_000 });
    const before = Date.now();
    for (let i = 0; i < 20; i++) deliveries.announce(order(`late ${i}`));
    const times = deliveries.state().jobs.map(({ dueAt }) => dueAt - before);
    expect(Math.max(...times)).toBeGreaterThan(60_000);
    expect(Math.max(...times)).toBeLessThan(660_000);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(60_000);
    expect(merchant.received).toHaveLength(3);

    injectFaults({ reorder: true });
    const ids = Array.from({ length: 20 }, (_, i) => `held ${i}`);
    for (const id of ids) deliveries.announce(order(id));
    injectFaults({});
    deliveries.announce(order('not held'));
    await waitFor(() => said().some(({ id }) => id === 'not held'));
    expect(said().some(({ id }) => id.startsWith('held'))).toBe(false);
    expect(deliveries.flush()).toBe(20);
    // One whose acknowledgement is late is sent again.
    const released = () => [...new Set(said().map(({ id }) => id))].filter((id) => id.startsWith('held'));
    await waitFor(() => released().length === 20);
    expect(released().sort()).toEqual([...ids].sort());
    expect(released()).not.toEqual(ids);
    expect(deliveries.flush()).toBe(0);
  });

  it('can be dropped, all or the first ones of an order', async () => {
    injectFaults({ drop: 2, duplicate: 3 });
    deliveries.announce(order('a'));
    await waitFor(() => deliveries.of('a').length === 3);
    expect(merchant.received).toHaveLength(1);
    expect(deliveries.of('a').map(({ faults, status }) => [faults, status])).toEqual([
      [['drop'], null],
      [['drop'], null],
      [[], 200],
    ]);
    injectFaults({ drop: true });
    deliveries.announce(order('b'));
    expect(deliveries.of('b')).toMatchObject([{ faults: ['drop'], acknowledged: false }]);
    expect(deliveries.waiting('b')).toBe(0);
  });

  it.each([
    ['wrong_signature', 'wrongSignature'],
    ['wrong_amount', 'wrongAmount'],
    ['wrong_currency', 'wrongCurrency'],
    ['wrong_merchant', 'wrongMerchant'],
    ['old_timestamp', 'oldTimestamp'],
    ['future_timestamp', 'futureTimestamp'],
  ])('can have a %s, the first of an order only', async (name, fault) => {
    injectFaults({ [name]: 1, duplicate: 2 });
    deliveries.announce(order('a'));
    await waitFor(() => deliveries.of('a').length === 2);
    const none = Object.fromEntries(Object.keys(said()[0]!.faults).map((key) => [key, false]));
    expect(Object.keys(none)).toHaveLength(6);
    // The two are sent concurrently.
    expect(said().map(({ faults }) => faults)).toEqual(
      expect.arrayContaining([{ ...none, [fault]: true }, none]),
    );
    const faultsOf = (id: string) => deliveries.of(id).flatMap(({ faults }) => faults);
    expect(faultsOf('a')).toEqual([name]);
    deliveries.announce(order('b'));
    await waitFor(() => deliveries.of('b').length === 2);
    expect(faultsOf('b')).toEqual([name]);
  });

  it('have the faults that were configured at the time of the event, or of their retry', async () => {
    injectFaults({ wrong_signature: true, old_timestamp: true, reorder: true });
    deliveries.announce(order('a'));
    injectFaults({});
    deliveries.flush();
    merchant.statuses = [400];
    await waitFor(() => deliveries.of('a').length === 2);
    expect(deliveries.of('a').map(({ faults }) => faults)).toEqual([
      ['wrong_signature', 'old_timestamp'],
      [],
    ]);
  });

  it('use at most 32 connections', async () => {
    merchant.silent = true;
    injectFaults({ duplicate: 100 });
    deliveries.announce(order('a'));
    await waitFor(() => merchant.received.length === 32);
    merchant.silent = false;
    merchant.answer();
    await waitFor(() => deliveries.of('a').length === 100);
    expect(merchant.mostAtOnce).toBe(32);
  });

  it('wait until the state that they report is stored', async () => {
    let done = () => {};
    const keeping = new Promise<void>((resolve) => (done = resolve));
    start({ keep: () => keeping }).announce(order('kept back'));
    for (const id of ['b', 'c']) {
      deliveries.announce(order(id));
      await waitFor(() => deliveries.of(id).length === 1);
    }
    expect(said().map(({ id }) => id)).toEqual(['b', 'c']);
    done();
    await waitFor(() => merchant.received.length === 3);
  });

  it('are recorded up to a maximum per order', async () => {
    injectFaults({ drop: true, duplicate: 100 });
    for (let i = 0; i < 3; i++) deliveries.announce(order('a', i === 2 ? { status: 'failed' } : {}));
    expect(deliveries.of('a')).toHaveLength(200);
    expect(deliveries.of('a').filter(({ orderStatus }) => orderStatus === 'failed')).toHaveLength(100);
  });

  it('continue where another process has ended', async () => {
    injectFaults({ reorder: true });
    deliveries.announce(order('held'));
    injectFaults({});
    deliveries.announce(order('sent'));
    await waitFor(() => deliveries.of('sent').length === 1);
    const state = JSON.parse(JSON.stringify(deliveries.state())) as ReturnType<Deliveries['state']>;
    deliveries.close();
    const next = start();
    next.resume(state);
    expect(next.of('sent')).toEqual(deliveries.of('sent'));
    expect(next.waiting('held')).toBe(1);
    next.flush();
    await waitFor(() => next.of('held').length === 1);
    expect(said().map(({ id }) => id)).toEqual(['sent', 'held']);
  });
});
