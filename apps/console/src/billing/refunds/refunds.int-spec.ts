import { Database } from '@inference/database';
import { waitFor } from '@inference/testing';
import { type Answer, type SignedIn } from '../../testing/console.fixture';
import { type ProviderEvent } from '../payment-providers/payment-provider';
import { PaymentSite, PROVIDERS } from '../payments/payments.fixture';
import { insertProviderEvent } from '../provider-events/provider-events.repository';
import { type RefundResponse } from './refunds.dto';

type Refund = Omit<RefundResponse, 'amount'> & { amount: number };

describe.each(PROVIDERS)('refunds through %s', (provider, siteName) => {
  let payments: PaymentSite;
  let admin: SignedIn;
  let account: SignedIn;
  let paymentId: string;

  beforeAll(async () => {
    payments = await PaymentSite.start(siteName);
    admin = await payments.site.signedIn('admin');
  });
  beforeEach(async () => {
    await payments.sandbox.injectFaults();
    account = await payments.site.signedIn();
    ({ id: paymentId } = await payments.open(account, provider));
    await payments.sandbox.act(paymentId, 'pay');
    await payments.waitForStatus(account, paymentId, 'paid');
  });
  afterAll(() => payments.stop());

  const refund = (
    json: unknown = {},
    headers: Record<string, string> = {},
    id = paymentId,
  ): Promise<Answer> =>
    payments.site.console.request('POST', `/api/admin/billing/payments/${id}/refund`, {
      token: admin.token,
      json,
      headers,
    });
  const attempts = async (): Promise<Refund[]> => {
    const { body } = await payments.site.console.request('GET', `/api/admin/billing/payments/${paymentId}`, {
      token: admin.token,
    });
    return (body as { refunds: Refund[] }).refunds;
  };
  const untilRefund = (status: string) =>
    waitFor(async () => (await attempts()).some((one) => one.status === status));
  const checkSoon = async () => {
    await payments.site.database.pool.query(
      'UPDATE billing.refunds SET next_check_at = now(), claimed_until = NULL WHERE payment_id = $1 AND next_check_at IS NOT NULL',
      [paymentId],
    );
  };
  /** WeChat Pay answers `pending` first and returns the result of a later query. */
  const firstStatus = provider === 'messaging_pay_provider' ? 'pending' : 'succeeded';
  const untilMade = async () => {
    await checkSoon();
    await untilRefund('succeeded');
  };
  const dueChecks = async () => {
    const { rowCount } = await payments.site.database.pool.query(
      'SELECT FROM billing.refunds WHERE payment_id = $1 AND next_check_at IS NOT NULL',
      [paymentId],
    );
    return rowCount;
  };
  const balance = () => payments.balance(account.accountId);
  const atProvider = async () =>
    (await payments.sandbox.order(paymentId)).refunds.map(({ amount_minor }) => amount_minor);

  it('refund the whole payment at the provider and debit the wallet', async () => {
    const answer = await refund({ reason: 'Asked for' });
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^rfd_/),
        payment_id: paymentId,
        amount: 20,
        currency: siteName === 'intl' ? 'USD' : 'CNY',
        status: firstStatus,
        reason: 'Asked for',
        failure: null,
        created_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect(await atProvider()).toEqual([2000]);
    expect(await balance()).toBe(0);
    expect((await payments.read(account, paymentId)).status).toBe('paid');
    await untilMade();
    expect(await attempts()).toEqual([{ ...(answer.body as Refund), status: 'succeeded' }]);
    expect(await atProvider()).toEqual([2000]);
    expect(await balance()).toBe(0);
    const { body } = await payments.site.console.request('GET', '/api/billing/transactions', {
      token: account.token,
    });
    expect((body as { transactions: unknown[] }).transactions[0]).toMatchObject({
      type: 'adjustment',
      amount: -20,
      description: `Refund of payment ${paymentId}`,
      cause: 'refund',
      payment_id: paymentId,
      provider,
    });
  });

  it('can be partial and are made once', async () => {
    expect((await refund({ amount: 7.55 })).body).toMatchObject({ amount: 7.55, status: firstStatus });
    const again = await refund({ amount: 1 });
    expect([again.status, again.body]).toEqual([409, { error: 'the payment was refunded before' }]);
    expect(await atProvider()).toEqual([755]);
    expect(await balance()).toBe(1245);
  });

  it('are made once for twenty concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => refund()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(19).fill(409)]);
    expect(await atProvider()).toEqual([2000]);
    expect(await balance()).toBe(0);
  });

  it('have one answer per idempotency key', async () => {
    const headers = { 'Idempotency-Key': `refund of ${paymentId}` };
    const answers = await Promise.all(Array.from({ length: 5 }, () => refund({ amount: 5 }, headers)));
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201));
    const final = await refund({ amount: 5 }, headers);
    expect((final.body as Refund).id).toBe((answers[0]!.body as Refund).id);
    expect((await refund({ amount: 6 }, headers)).status).toBe(409);
    const { id: other } = await payments.open(account, provider);
    expect((await refund({ amount: 5 }, headers, other)).status).toBe(409);
    expect(await atProvider()).toEqual([500]);
  });

  it('are pending while the provider is unreachable and made afterwards', async () => {
    await payments.sandbox.injectFaults({ api: { refund: 503 } });
    const answer = await refund();
    expect([answer.status, answer.body]).toEqual([201, expect.objectContaining({ status: 'pending' })]);
    expect(await balance()).toBe(0);
    expect((await refund()).status).toBe(409);
    await payments.sandbox.injectFaults();
    await untilMade();
    expect(await atProvider()).toEqual([2000]);
    expect(await balance()).toBe(0);
  });

  it('are made once when the response is lost', async () => {
    await payments.sandbox.injectFaults({ api: { refund: 'lost' } });
    expect((await refund()).status).toBe(201);
    await payments.sandbox.injectFaults();
    await untilMade();
    expect(await atProvider()).toEqual([2000]);
    expect(await balance()).toBe(0);
  });

  it('credit the wallet again when the provider refuses, and can be repeated', async () => {
    await payments.sandbox.injectFaults({ api: { refund: 400 } });
    const answer = await refund();
    expect([answer.status, answer.body]).toEqual([
      201,
      expect.objectContaining({ status: 'failed', failure: expect.any(String) }),
    ]);
    expect(await balance()).toBe(2000);
    await payments.sandbox.injectFaults();
    expect((await refund()).status).toBe(201);
    await untilMade();
    expect((await attempts()).map(({ status }) => status)).toEqual(['failed', 'succeeded']);
    expect(await balance()).toBe(0);
  });

  it('explain what the provider reports of them until they fail', async () => {
    await payments.sandbox.injectFaults({ api: { refund: 503 } });
    expect((await refund({ amount: 5 })).body).toMatchObject({ status: 'pending' });
    const event: ProviderEvent = {
      ...{ eventId: `evt_${paymentId}`, type: 'refund', kind: 'refund', payment: { id: paymentId } },
      ...{
        amountMinor: 500n,
        refundedMinor: 500n,
        currency: null,
        status: null,
        reason: null,
        content: '{}',
      },
    };
    const { pool } = payments.site.database;
    expect(await insertProviderEvent(payments.site.console.app.get(Database), provider, event)).toBe(false);
    const closedAs = async () =>
      (await pool.query('SELECT closed_as FROM billing.provider_events WHERE payment_id = $1', [paymentId]))
        .rows;
    expect(await closedAs()).toEqual([{ closed_as: 'own_refund' }]);
    await payments.sandbox.injectFaults({ api: { refund: 400 } });
    await checkSoon();
    await untilRefund('failed');
    expect(await closedAs()).toEqual([{ closed_as: null }]);
  });

  it('are checked once more after a notification', async () => {
    await refund();
    await untilMade();
    await payments.site.database.pool.query(
      'UPDATE billing.refunds SET next_check_at = now() WHERE payment_id = $1',
      [paymentId],
    );
    await waitFor(async () => (await dueChecks()) === 0);
    expect(await atProvider()).toEqual([2000]);
    expect(await balance()).toBe(0);
  });

  it('a refund that failed here but was made at the provider stays failed and is not checked again', async () => {
    await refund();
    await untilMade();
    await payments.site.database.pool.query(
      "UPDATE billing.refunds SET status = 'failed', next_check_at = now() WHERE payment_id = $1",
      [paymentId],
    );
    await waitFor(async () => (await dueChecks()) === 0);
    expect((await attempts())[0]).toMatchObject({ status: 'failed' });
  });

  it('answer 409 and change nothing when the money was spent', async () => {
    const json = { account_id: account.accountId, amount: -0.01, description: 'Spent' };
    await payments.site.console.request('POST', '/api/admin/billing/adjustments', {
      token: admin.token,
      json,
    });
    const answer = await refund();
    expect([answer.status, answer.body]).toEqual([409, { error: 'the wallet does not cover this amount' }]);
    expect(await atProvider()).toEqual([]);
    expect(await attempts()).toEqual([]);
    expect(await balance()).toBe(1999);
  });

  it('answer 409 for a payment that is not paid', async () => {
    const { id } = await payments.open(account, provider);
    const answer = await refund({}, {}, id);
    expect([answer.status, answer.body]).toEqual([409, { error: 'the payment is pending' }]);
  });

  it('answer 404 for an unknown payment, 403 to its owner and 401 without a session', async () => {
    expect((await refund({}, {}, 'pay_0')).status).toBe(404);
    const path = `/api/admin/billing/payments/${paymentId}`;
    for (const [method, url] of [
      ['GET', path],
      ['POST', `${path}/refund`],
    ] as const) {
      expect((await payments.site.console.request(method, url, { token: account.token })).status).toBe(403);
      expect((await payments.site.console.request(method, url)).status).toBe(401);
    }
    const unknown = await payments.site.console.request('GET', '/api/admin/billing/payments/pay_0', {
      token: admin.token,
    });
    expect(unknown.status).toBe(404);
  });

  it.each([
    [{ amount: 0 }, 'amount'],
    [{ amount: -1 }, 'amount'],
    [{ amount: 20.01 }, 'amount'],
    [{ amount: 0.001 }, 'amount'],
    [{ amount: 'all' }, 'amount'],
    [{ amount: '5' }, 'amount: must be a number'],
    [{ reason: '' }, 'reason'],
    [{ reason: 'x'.repeat(201) }, 'reason'],
    [{ reason: 5 }, 'reason'],
    [{ payment: 1 }, 'payment'],
  ])('answers 400 for %j', async (json, field) => {
    const answer = await refund(json);
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(field) }]);
    expect(await attempts()).toEqual([]);
  });

  it('need no body', async () => {
    const answer = await payments.site.console.request(
      'POST',
      `/api/admin/billing/payments/${paymentId}/refund`,
      {
        token: admin.token,
      },
    );
    expect(answer.status).toBe(201);
  });
});
