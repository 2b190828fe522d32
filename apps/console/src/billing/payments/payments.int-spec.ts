import { type SignedIn, TestConsole, TestSite } from '../../testing/console.fixture';
import { IdempotencyKeyCleanupJob } from '../idempotency/idempotency-keys';
import { PaymentSettlement } from '../settlement/payment-settlement';
import { type PaymentBody, PaymentSite, PROVIDERS, SHOP } from './payments.fixture';

describe.each(PROVIDERS)('top-up through %s', (provider, siteName) => {
  let payments: PaymentSite;
  let account: SignedIn;
  const currency = siteName === 'intl' ? 'USD' : 'CNY';
  beforeAll(async () => (payments = await PaymentSite.start(siteName)));
  beforeEach(async () => {
    await payments.sandbox.injectFaults();
    account = await payments.site.signedIn();
  });
  afterAll(() => payments.stop());

  it('is pending with a checkout, then paid, credited and listed in the transactions', async () => {
    const created = await payments.create(account, {
      provider,
      amount: 20.1,
      currency,
      return_url: `${SHOP}/back?a=b`,
    });
    const payment = created.body as PaymentBody;
    expect(created.status).toBe(201);
    expect(payment).toEqual({
      id: expect.stringMatching(/^pay_\w{22}$/),
      provider,
      amount: 20.1,
      currency,
      status: 'pending',
      paid_at: null,
      ended_at: null,
      seen_at: null,
      created_at: expect.stringMatching(/Z$/),
      refunded_amount: 0,
      refunds: [],
      checkout: {
        type: siteName === 'intl' ? 'redirect' : 'qr',
        url: expect.stringMatching(/^http/),
        expires_at: expect.stringMatching(/Z$/),
      },
    });
    expect(await payments.sandbox.order(payment.id)).toMatchObject({
      amount_minor: 2010,
      currency,
      status: 'open',
    });
    expect(await payments.read(account, payment.id)).toEqual(payment);
    expect(await payments.balance(account.accountId)).toBe(0);

    await payments.sandbox.act(payment.id, 'pay');
    const paid = await payments.waitForStatus(account, payment.id, 'paid');
    const { reference } = await payments.sandbox.order(payment.id);
    const { checkout: _checkout, ...rest } = payment;
    expect(paid).toEqual({
      ...rest,
      status: 'paid',
      paid_at: expect.stringMatching(/Z$/),
      provider_reference: reference,
    });
    expect(await payments.balance(account.accountId)).toBe(2010);
    const { body } = await payments.site.console.request('GET', '/api/billing/transactions', {
      token: account.token,
    });
    expect(body).toEqual({
      transactions: [
        expect.objectContaining({
          type: 'topup',
          amount: 20.1,
          currency,
          description: expect.stringContaining('Top-up'),
          cause: 'topup',
          payment_id: payment.id,
          provider,
        }),
      ],
      next_cursor: null,
    });
  });

  it('is not paid before it was created, whatever the clock of the provider says', async () => {
    const { id, created_at } = await payments.open(account, provider);
    const paidAt = new Date(Date.parse(created_at) - 3_600_000);
    const { amount_minor: amountMinor, currency } = await payments.sandbox.order(id);
    const proof = { reference: `early ${id}`, amountMinor: BigInt(amountMinor), currency, paidAt };
    await payments.site.console.app
      .get(PaymentSettlement)
      .settle(provider, id, { status: 'paid', proof: { ...proof, payer: { name: null, email: null } } });
    expect((await payments.read(account, id)).paid_at).toBe(created_at);
  });

  it('fails when the provider reports a failure', async () => {
    const { id } = await payments.open(account, provider);
    await payments.sandbox.act(id, 'fail');
    await payments.checkSoon(id);
    await payments.waitForStatus(account, id, 'failed');
    expect(await payments.balance(account.accountId)).toBe(0);
  });

  it('expires when the order expires at the provider', async () => {
    const { id } = await payments.open(account, provider);
    await payments.sandbox.act(id, 'expire');
    await payments.checkSoon(id);
    expect((await payments.waitForStatus(account, id, 'expired')).checkout).toBeUndefined();
  });

  it('is created once per idempotency key, also for concurrent requests', async () => {
    const order = { provider, amount: 30 };
    const headers = { 'Idempotency-Key': `top-up of ${account.accountId}` };
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => payments.create(account, order, headers)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const { id } = answers[0]!.body as PaymentBody;
    await payments.sandbox.act(id, 'pay');
    await payments.waitForStatus(account, id, 'paid');
    expect((await payments.create(account, { amount: 30, provider }, headers)).text).toBe(answers[0]!.text);
    for (const other of [
      { ...order, amount: 31 },
      { ...order, return_url: SHOP },
    ]) {
      const answer = await payments.create(account, other, headers);
      expect([answer.status, answer.body]).toEqual([409, { error: expect.any(String) }]);
    }
    const list = await payments.site.console.request('GET', '/api/billing/payments', {
      token: account.token,
    });
    expect((list.body as { payments: unknown[] }).payments).toHaveLength(1);
    const otherAccount = await payments.site.signedIn();
    expect((await payments.create(otherAccount, order, headers)).text).not.toBe(answers[0]!.text);
  });

  it('is repeated in the present form if an older version has stored the answer', async () => {
    const headers = { 'Idempotency-Key': `older of ${account.accountId}` };
    const first = await payments.create(account, { provider, amount: 20 }, headers);
    await payments.site.database.pool.query(
      `UPDATE billing.idempotency_keys SET answer = (answer::jsonb - 'refunded_amount' - 'refunds')::text
       WHERE account_id = $1`,
      [account.accountId],
    );
    const repeated = await payments.create(account, { provider, amount: 20 }, headers);
    expect([repeated.status, repeated.body]).toEqual([201, first.body]);
  });

  it.each([[503], ['lost'], ['garbage']] as const)(
    'answers 503 while the provider answers %j, and continues with its idempotency key',
    async (fault) => {
      const headers = { 'Idempotency-Key': `later of ${account.accountId}` };
      await payments.sandbox.injectFaults({ api: { open: fault } });
      const away = await payments.create(account, { provider, amount: 20 }, headers);
      const error = 'the payment provider is not available';
      expect([away.status, away.body]).toEqual([503, { error }]);
      expect(away.headers.get('retry-after')).toBe('1');
      await payments.sandbox.injectFaults();
      const answer = await payments.create(account, { provider, amount: 20 }, headers);
      expect(answer.status).toBe(201);
      const list = await payments.site.console.request('GET', '/api/billing/payments', {
        token: account.token,
      });
      expect(list.body).toEqual({ payments: [answer.body], next_cursor: null });
    },
  );

  it('answers 429 when the account has a thousand pending payments', async () => {
    const limited = await TestConsole.start(payments.site.database.urlFor('console'), {
      SITE: siteName,
      ...payments.sandbox.consoleEnvironment(),
      RATE_LIMIT_MULTIPLIER: '1',
    });
    await payments.site.database.pool.query(
      `INSERT INTO billing.payments (id, account_id, provider, amount_minor, currency, expires_at)
       SELECT 'pay_' || $1 || n, $2, $3, 2000, $4, now() + interval '1 hour' FROM generate_series(1, 1000) n`,
      [account.accountId.slice(-12), account.accountId, provider, siteName === 'intl' ? 'USD' : 'CNY'],
    );
    const options = { token: account.token, json: { provider, amount: 20 } };
    const answer = await limited.request('POST', '/api/billing/payments', options);
    expect([answer.status, answer.body]).toEqual([429, { error: 'too many payments are pending' }]);
    expect(answer.headers.get('retry-after')).toBe('60');
    await payments.site.database.pool.query(
      "UPDATE billing.payments SET status = 'expired', ended_at = now() WHERE account_id = $1 AND checkout_url IS NULL",
      [account.accountId],
    );
    expect((await limited.request('POST', '/api/billing/payments', options)).status).toBe(201);
    await limited.close();
  });

  it('is credited for any name of the payer', async () => {
    const { id } = await payments.open(account, provider);
    await payments.sandbox.act(id, 'pay', { name: `A\0${'x'.repeat(150)}<script>` });
    await payments.waitForStatus(account, id, 'paid');
    expect(await payments.balance(account.accountId)).toBe(2000);
  });

  it('is a new one with a key that was used a month ago', async () => {
    const headers = { 'Idempotency-Key': `old of ${account.accountId}` };
    const first = await payments.create(account, { provider, amount: 20 }, headers);
    const cleanup = payments.site.console.app.get(IdempotencyKeyCleanupJob);
    await cleanup.run();
    expect((await payments.create(account, { provider, amount: 20 }, headers)).text).toBe(first.text);
    await payments.site.database.pool.query(
      "UPDATE billing.idempotency_keys SET created_at = now() - interval '31 days' WHERE account_id = $1",
      [account.accountId],
    );
    await cleanup.run();
    const second = await payments.create(account, { provider, amount: 20 }, headers);
    expect((second.body as PaymentBody).id).not.toBe((first.body as PaymentBody).id);
  });

  it('answers 503 when the provider refuses it, and creates a new one with the same key', async () => {
    const headers = { 'Idempotency-Key': `refused of ${account.accountId}` };
    await payments.sandbox.injectFaults({ api: { open: 400 } });
    expect((await payments.create(account, { provider, amount: 20 }, headers)).status).toBe(503);
    await payments.sandbox.injectFaults();
    expect((await payments.create(account, { provider, amount: 20 }, headers)).status).toBe(201);
    const list = await payments.site.console.request('GET', '/api/billing/payments', {
      token: account.token,
    });
    expect((list.body as { payments: PaymentBody[] }).payments.map(({ status }) => status)).toEqual([
      'pending',
      'failed',
    ]);
  });

  it("answers 404 for unknown and foreign payments, 401 without a session and with another site's token", async () => {
    const { id } = await payments.open(account, provider);
    const otherAccount = await payments.site.signedIn();
    const admin = await payments.site.signedIn('admin');
    for (const { token } of [otherAccount, admin])
      expect(
        (await payments.site.console.request('GET', `/api/billing/payments/${id}`, { token })).status,
      ).toBe(404);
    const unknown = await payments.site.console.request('GET', '/api/billing/payments/pay_0', {
      token: account.token,
    });
    expect([unknown.status, unknown.body]).toEqual([404, { error: 'no such payment' }]);
    expect((await payments.site.console.request('GET', `/api/billing/payments/${id}`)).status).toBe(401);
  });

  it('is listed to its account newest first, page by page', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await payments.open(account, provider)).id);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor && `&cursor=${cursor}`;
      const { body } = await payments.site.console.request('GET', `/api/billing/payments?limit=2${query}`, {
        token: account.token,
      });
      const page = body as { payments: PaymentBody[]; next_cursor: string | null };
      seen.push(...page.payments.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(ids);
    const first = await payments.site.console.request('GET', '/api/billing/payments?limit=2', {
      token: account.token,
    });
    const otherCursor = (first.body as { next_cursor: string }).next_cursor;
    const { token } = await payments.site.signedIn();
    for (const query of [`cursor=${otherCursor}`, 'cursor=x', 'limit=0', 'limit=101', 'limit=1&limit=2'])
      expect(
        (await payments.site.console.request('GET', `/api/billing/payments?${query}`, { token })).status,
      ).toBe(400);
  });

  it('appears in the providers and the settings', async () => {
    const { body } = await payments.site.console.request('GET', '/api/payments/providers');
    const entry = {
      name: provider,
      enabled: true,
      currency: siteName === 'intl' ? 'USD' : 'CNY',
      region: siteName,
    };
    expect((body as { providers: unknown[] }).providers).toContainEqual(entry);
    const settings = await payments.site.console.request('GET', '/api/billing/settings', {
      token: account.token,
    });
    expect((settings.body as { providers: unknown[] }).providers).toContainEqual(entry);
  });
});

describe('without credentials', () => {
  let site: TestSite;
  beforeAll(async () => (site = await TestSite.start()));
  afterAll(() => site.stop());

  it('a provider is not enabled and a top-up through it answers 409', async () => {
    const { body } = await site.console.request('GET', '/api/payments/providers');
    expect(body).toEqual({
      providers: [{ name: 'card_provider', enabled: false, currency: 'USD', region: 'intl' }],
    });
    const { token } = await site.signedIn();
    for (const [provider] of PROVIDERS) {
      const json = { provider, amount: 20 };
      const answer = await site.console.request('POST', '/api/billing/payments', { token, json });
      expect([answer.status, answer.body]).toEqual([
        409,
        { error: `the provider ${provider} is not enabled here` },
      ]);
    }
  });
});
