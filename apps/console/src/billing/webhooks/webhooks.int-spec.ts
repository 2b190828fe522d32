import { createHmac } from 'node:crypto';
import { metricsOf, valueOf, waitFor } from '@inference/testing';
import { ProviderEventsService } from '../provider-events/provider-events.service';
import { Logger } from '@nestjs/common';
import { type SignedIn, TestConsole } from '../../testing/console.fixture';
import { PaymentSettlement } from '../settlement/payment-settlement';
import { newOrder, refundOf } from '../payment-providers/alipay/alipay.fixture';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { eventOf } from '../payment-providers/stripe/stripe-events.fixture';
import { type PaymentBody, PaymentSite, PROVIDERS } from '../payments/payments.fixture';

/** The acknowledgement that each provider expects. */
const ACKNOWLEDGED = {
  card_provider: [200, '{"received":true}'],
  messaging_pay_provider: [200, '{"code":"SUCCESS","message":"成功"}'],
  wallet_pay_provider: [200, 'success'],
} as const;

/** The headers of each provider's signature. Alipay signs within the body. */
const SIGNATURE_HEADERS = {
  card_provider: ['Stripe-Signature'],
  messaging_pay_provider: ['Serial', 'Timestamp', 'Nonce', 'Signature'].map((part) => `Wechatpay-${part}`),
  wallet_pay_provider: [],
} as const;

describe.each(PROVIDERS)('notifications of %s', (provider, siteName) => {
  let payments: PaymentSite;
  let account: SignedIn;
  beforeAll(async () => (payments = await PaymentSite.start(siteName)));
  beforeEach(async () => {
    await payments.sandbox.injectFaults();
    account = await payments.site.signedIn();
  });
  afterAll(() => payments.stop());

  const openPayment = async () => {
    const { id } = await payments.open(account, provider);
    await payments.stopChecking(id);
    return id;
  };
  const acknowledged = async (id: string, count: number) => {
    for (const delivery of await payments.deliveries(id, count)) {
      expect([delivery.status, delivery.body]).toEqual(ACKNOWLEDGED[provider]);
      expect(delivery.acknowledged).toBe(true);
    }
  };
  const creditedOnce = async (id: string) => {
    await payments.waitForStatus(account, id, 'paid');
    expect(await payments.balance(account.accountId)).toBe(2000);
  };

  it('credit once when repeated ten times, and each is acknowledged', async () => {
    const id = await openPayment();
    await payments.sandbox.injectFaults({ duplicate: 10 });
    await payments.sandbox.act(id, 'pay');
    await acknowledged(id, 10);
    await creditedOnce(id);
  });

  it('credit a payment when they are late', async () => {
    const id = await openPayment();
    await payments.sandbox.injectFaults({ delay_ms: 300, duplicate: 3 });
    await payments.sandbox.act(id, 'pay');
    await acknowledged(id, 3);
    await creditedOnce(id);
  });

  it('credit each payment once when they arrive out of order', async () => {
    await payments.sandbox.injectFaults({ reorder: true, duplicate: 3 });
    const ids = [await openPayment(), await openPayment(), await openPayment()];
    for (const id of ids) await payments.sandbox.act(id, 'pay');
    expect(await payments.balance(account.accountId)).toBe(0);
    await payments.sandbox.flush();
    for (const id of ids) {
      await acknowledged(id, 3);
      await payments.waitForStatus(account, id, 'paid');
    }
    expect(await payments.balance(account.accountId)).toBe(6000);
  });

  if (provider === 'wallet_pay_provider')
    it('keep what was given back at the provider in part, beside the payment', async () => {
      const id = await openPayment();
      await payments.sandbox.act(id, 'pay');
      const { provider_reference: reference } = await payments.waitForStatus(account, id, 'paid');
      const alipay = payments.site.console.app
        .get(PaymentProviders)
        .all()
        .find(({ name }) => name === provider)!;
      const order = newOrder({ paymentId: id, amountMinor: 2_000n });
      await alipay.refund(refundOf(order, reference!, { amountMinor: 500n }));
      await acknowledged(id, 2);
      const { rows } = await payments.site.database.pool.query(
        'SELECT kind, amount_minor, closed_as FROM billing.provider_events WHERE payment_id = $1',
        [id],
      );
      expect(rows).toEqual([{ kind: 'refund', amount_minor: 500n, closed_as: null }]);
      await creditedOnce(id);
    });

  it('are not required: the provider is polled', async () => {
    const { id } = await payments.open(account, provider);
    await payments.sandbox.injectFaults({ drop: true });
    await payments.sandbox.act(id, 'pay');
    await payments.checkSoon(id);
    await creditedOnce(id);
    const { deliveries } = await payments.sandbox.order(id);
    expect(deliveries.map(({ faults, status }) => [faults, status])).toEqual([[['drop'], null]]);
  });

  it.each([
    ['a wrong signature', { wrong_signature: 1 }, 400],
    ['a time long past', { old_timestamp: 1 }, 400],
    ['a time to come', { future_timestamp: 1 }, 400],
    ['another merchant', { wrong_merchant: 1 }, 400],
    ['another amount', { wrong_amount: 1 }, 409],
    ['another currency', { wrong_currency: 1 }, 409],
  ])(
    'notifications with %s are rejected without effect, and a correct one credits',
    async (_fault, switches, status) => {
      const id = await openPayment();
      await payments.sandbox.injectFaults({ ...switches, duplicate: 2 });
      await payments.sandbox.act(id, 'pay');
      const deliveries = await payments.deliveries(id, 2);
      const [refused] = deliveries.filter(({ faults }) => faults.length > 0);
      const [accepted] = deliveries.filter(({ faults }) => faults.length === 0);
      expect(refused).toMatchObject({ status, acknowledged: false });
      expect(accepted).toMatchObject({ status: 200, acknowledged: true });
      await creditedOnce(id);
    },
  );

  it.each([
    ['a wrong signature', { wrong_signature: true }],
    ['another amount', { wrong_amount: true }],
    ['another merchant', { wrong_merchant: true }],
  ])('notifications with %s never credit, even when repeated', async (_fault, switches) => {
    const id = await openPayment();
    await payments.sandbox.injectFaults({ ...switches, duplicate: 3 });
    await payments.sandbox.act(id, 'pay');
    for (const { acknowledged } of await payments.deliveries(id, 3)) expect(acknowledged).toBe(false);
    expect((await payments.read(account, id)).status).toBe('pending');
    expect(await payments.balance(account.accountId)).toBe(0);
  });

  it.each(['expire', 'fail'] as const)("credit money that arrives after the order's %s", async (action) => {
    const id = await openPayment();
    await payments.sandbox.act(id, action);
    await payments.checkSoon(id);
    await payments.waitForStatus(account, id, action === 'fail' ? 'failed' : 'expired');
    await payments.stopChecking(id);
    const before = (await payments.sandbox.order(id)).deliveries.length;
    await payments.sandbox.injectFaults({ paid_after_expiry: true });
    await payments.sandbox.act(id, 'pay');
    await acknowledged(id, before + 1);
    await creditedOnce(id);
  });

  it.each([{ status: 'expired' }, { status: 'failed', reason: 'late news' }] as const)(
    'do not change a paid payment when they later state $status',
    async (state) => {
      const id = await openPayment();
      await payments.sandbox.act(id, 'pay');
      const paid = await payments.waitForStatus(account, id, 'paid');
      await payments.site.console.app.get(PaymentSettlement).settle(provider, id, state);
      expect(await payments.read(account, id)).toEqual(paid);
      await creditedOnce(id);
    },
  );

  it('are rejected for an unknown payment', async () => {
    const id = await openPayment();
    await payments.site.database.pool.query('UPDATE billing.payments SET id = $2 WHERE id = $1', [
      id,
      `${id}x`,
    ]);
    await payments.sandbox.act(id, 'pay');
    expect((await payments.deliveries(id, 1))[0]).toMatchObject({ status: 404, acknowledged: false });
    await payments.site.database.pool.query('UPDATE billing.payments SET id = $1 WHERE id = $2', [
      id,
      `${id}x`,
    ]);
    await creditedOnce(id);
  });

  it('are acknowledged only after the credit is committed', async () => {
    const id = await openPayment();
    const { pool } = payments.site.database;
    await pool.query('REVOKE INSERT ON wallet.entries FROM console');
    await payments.sandbox.act(id, 'pay');
    expect((await payments.deliveries(id, 1))[0]).toMatchObject({ status: 500, acknowledged: false });
    expect((await payments.read(account, id)).status).toBe('pending');
    await pool.query('GRANT INSERT ON wallet.entries TO console');
    await creditedOnce(id);
  });

  it.each([
    ['nothing'],
    ['{}'],
    ['\0\u00ff'],
    [JSON.stringify({ id: 'evt_1', type: 'checkout.session.completed' })],
  ])('notifications with the body %j are rejected', async (body) => {
    const answer = await payments.site.console.request('POST', `/api/billing/webhooks/${provider}`, {
      raw: body === 'nothing' ? '' : body,
      headers: { 'Content-Type': 'application/octet-stream' },
    });
    expect(answer.status).toBe(400);
  });

  it('with an empty signature are rejected and logged like those without one', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn');
    const present = { 'Wechatpay-Serial': 'A1', 'Wechatpay-Timestamp': '1', 'Wechatpay-Nonce': 'n' };
    const notify = async (headers: Record<string, string>, raw = '{}') => {
      warn.mockClear();
      const path = `/api/billing/webhooks/${provider}`;
      const { status, text } = await payments.site.console.request('POST', path, { raw, headers });
      return { status, text, logged: warn.mock.calls };
    };
    const unsigned = await notify({});
    expect(unsigned).toMatchObject({ status: 400, logged: [[expect.stringContaining('(signature)')]] });
    for (const name of SIGNATURE_HEADERS[provider])
      expect(await notify({ ...present, 'Wechatpay-Signature': 'QQ==', [name]: '' })).toEqual(unsigned);
    const inBody = 'sign_type=RSA2&notify_time=2026-11-23';
    expect(await notify({}, `${inBody}&sign=`)).toEqual(await notify({}, inBody));
    warn.mockRestore();
  });

  it('answer 503 while the database is unavailable, and credit afterwards', async () => {
    const id = await openPayment();
    // Port 1 of the loopback refuses connections.
    const cutOff = await TestConsole.start('postgres://console@127.0.0.1:1/platform', {
      SITE: siteName,
      ...payments.sandbox.consoleEnvironment(),
    });
    await payments.sandbox.deliverTo(cutOff.url);
    await payments.sandbox.act(id, 'pay');
    expect((await payments.deliveries(id, 1))[0]).toMatchObject({ status: 503, acknowledged: false });
    await payments.sandbox.deliverTo(payments.site.console.url);
    await cutOff.close();
    await creditedOnce(id);
  });

  it('are accepted for enabled providers only', async () => {
    for (const name of [
      'paypal',
      ...PROVIDERS.filter(([, site]) => site !== siteName).map(([name]) => name),
    ]) {
      const answer = await payments.site.console.request('POST', `/api/billing/webhooks/${name}`, {
        raw: '{}',
      });
      expect([answer.status, answer.body]).toEqual([404, { error: 'no such provider' }]);
    }
  });
});

describe('signed events that nobody handles', () => {
  const SECRET = 'whsec_of_the_tests_0123456789abcdef';
  const EVENTS = '/api/admin/billing/provider-events';
  let payments: PaymentSite;
  let account: SignedIn;
  let finance: SignedIn;
  let paid: PaymentBody;

  beforeAll(async () => {
    payments = await PaymentSite.start('intl');
    account = await payments.site.signedIn();
    finance = await payments.site.signedIn('finance');
    const { id } = await payments.open(account, 'card_provider');
    await payments.sandbox.act(id, 'pay');
    paid = await payments.waitForStatus(account, id, 'paid');
  });
  afterAll(() => payments.stop());

  const secretOf = () => {
    const { STRIPE_WEBHOOK_SECRETS: secrets = '' } = payments.sandbox.consoleEnvironment();
    return secrets.split(',')[0]!;
  };
  const send = (event: object, secret = secretOf()) => {
    const raw = JSON.stringify(event);
    const time = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', secret).update(`${time}.${raw}`).digest('hex');
    const headers = { 'Stripe-Signature': `t=${time},v1=${signature}` };
    return payments.site.console.request('POST', '/api/billing/webhooks/card_provider', { raw, headers });
  };
  const list = async (query = '') => {
    const { body } = await payments.site.console.request('GET', EVENTS + query, { token: finance.token });
    return (body as { events: Record<string, unknown>[] }).events;
  };
  const dispute = (id: string, change: object = {}) =>
    eventOf(
      'charge.dispute.created',
      {
        id: 'dp_1',
        object: 'dispute',
        amount: 2_000,
        currency: 'usd',
        payment_intent: paid.provider_reference,
        reason: 'fraudulent',
        status: 'needs_response',
      },
      { id, ...change },
    );

  it('are stored once with payment and account, counted, and closed by a person', async () => {
    for (let i = 0; i < 3; i++) expect((await send(dispute('evt_dispute'))).status).toBe(200);
    const [event, ...others] = await list('?state=open');
    expect(others).toEqual([]);
    expect(event).toEqual({
      id: expect.stringMatching(/^pev_/),
      provider: 'card_provider',
      event_id: 'evt_dispute',
      type: 'charge.dispute.created',
      kind: 'dispute',
      payment_id: paid.id,
      account_id: account.accountId,
      amount: 20,
      currency: 'USD',
      status: 'needs_response',
      reason: 'fraudulent',
      received_at: expect.stringMatching(/^20.*Z$/),
      closed_at: null,
      closed_as: null,
      closed_by: null,
      note: null,
    });
    await waitFor(async () => {
      const text = await metricsOf(payments.site.console.app);
      return valueOf(text, 'console_waiting_items{kind="provider_event",provider="card_provider"}') === 1;
    });
    const path = `${EVENTS}/${String(event!.id)}`;
    const { token } = finance;
    const detail = await payments.site.console.request('GET', path, { token });
    expect(JSON.parse((detail.body as { content: string }).content)).toMatchObject({ id: 'evt_dispute' });
    const close = (id: string) =>
      payments.site.console.request('POST', `${EVENTS}/${id}/close`, { token, json: { note: 'answered' } });
    expect((await close(String(event!.id))).body).toMatchObject({
      closed_as: 'handled',
      closed_by: finance.accountId,
      note: 'answered',
    });
    expect((await close(String(event!.id))).status).toBe(409);
    expect((await close('pev_unknown')).status).toBe(404);
    expect((await payments.site.console.request('GET', `${EVENTS}/pev_unknown`, { token })).status).toBe(404);
    expect(await list('?state=open')).toEqual([]);
    const { rows } = await payments.site.database.pool.query(
      "SELECT account_id, actor_id FROM accounts.security_events WHERE type = 'admin.provider_event_closed'",
    );
    expect(rows).toEqual([{ account_id: account.accountId, actor_id: finance.accountId }]);
    const csv = await payments.site.console.request('GET', EVENTS, {
      token,
      headers: { Accept: 'text/csv' },
    });
    expect(csv.text.split('\r\n')[1]).toContain(`,charge.dispute.created,dispute,${paid.id},`);
    expect(await payments.balance(account.accountId)).toBe(2000);
  });

  it('lose what was signed long after they were closed', async () => {
    const service = payments.site.console.app.get(ProviderEventsService);
    const { pool } = payments.site.database;
    const contents = async () =>
      (await pool.query('SELECT content FROM billing.provider_events')).rows as { content: string }[];
    await pool.query("UPDATE billing.provider_events SET closed_at = now() - interval '539 days'");
    await service.emptyOld();
    expect(await contents()).toEqual([{ content: expect.stringContaining('evt_dispute') }]);
    await pool.query("UPDATE billing.provider_events SET closed_at = now() - interval '541 days'");
    await service.emptyOld();
    expect(await contents()).toEqual([{ content: '' }]);
    expect(await list()).toEqual([expect.objectContaining({ event_id: 'evt_dispute', note: 'answered' })]);
  });

  it('are refused with a wrong signature, and not stored', async () => {
    expect((await send(dispute('evt_forged'), SECRET)).status).toBe(400);
    expect((await list()).map(({ event_id: id }) => id)).not.toContain('evt_forged');
  });

  it('are kept without a payment, whatever they are, if they are no step of a payment', async () => {
    expect((await send(eventOf('payout.failed', { id: 'po_1' }, { id: 'evt_payout' }))).status).toBe(200);
    expect((await send(eventOf('payment_intent.created', { id: 'pi' }, { id: 'evt_step' }))).status).toBe(
      200,
    );
    const strange = eventOf('made.up', { note: '\u0000', payment_intent: 7 }, { id: 'evt_strange' });
    expect((await send(strange)).status).toBe(200);
    expect((await list()).map(({ event_id: id, kind }) => [id, kind])).toEqual([
      ['evt_strange', 'other'],
      ['evt_payout', 'other'],
      ['evt_dispute', 'dispute'],
    ]);
  });

  it('are closed at once if refunds of this site explain them, and stay open otherwise', async () => {
    const refunded = (id: string, amount: number) =>
      send(
        eventOf(
          'charge.refunded',
          {
            id: 'ch_1',
            amount: 2_000,
            amount_refunded: amount,
            currency: 'usd',
            payment_intent: paid.provider_reference,
          },
          { id },
        ),
      );
    await refunded('evt_at_stripe', 500);
    await payments.site.database.pool.query(
      `INSERT INTO billing.refunds (id, payment_id, amount_minor, ordered_by, status, ended_at)
       VALUES ('rfd_own', $1, 500, $2, 'succeeded', now())`,
      [paid.id, finance.accountId],
    );
    await refunded('evt_own', 500);
    await refunded('evt_more', 800);
    const elsewhere = {
      id: 're_1',
      amount: 300,
      currency: 'usd',
      payment_intent: paid.provider_reference,
      metadata: {},
    };
    await send(eventOf('refund.created', elsewhere, { id: 'evt_refund' }));
    const unknown = { ...elsewhere, metadata: { refund_id: 'rfd_of_nobody' } };
    await send(eventOf('refund.updated', unknown, { id: 'evt_unknown_refund' }));
    const found = (await list('?limit=5')).map((event) => [event.event_id, event.kind, event.closed_as]);
    expect(found).toEqual([
      ['evt_unknown_refund', 'refund', null],
      ['evt_refund', 'refund', null],
      ['evt_more', 'refund', null],
      ['evt_own', 'refund', 'own_refund'],
      ['evt_at_stripe', 'refund', null],
    ]);
  });
});
