import {
  type ScriptedAnswer,
  ScriptedModel,
  startGateway,
  publishPrices,
  type TestGateway,
  waitFor,
} from '@inference/testing';
import { type SignedIn } from '../../testing/console.fixture';
import { PaymentSite } from '../payments/payments.fixture';

const MODEL = 'scripted';
/** 0.01 USD for an output token. The scripted model answers with five. */
const TOKEN_PICOS = 10n ** 10n;
/** A request holds 1 USD at most. */
const MAX_TOKENS = 100;

describe('a wallet of which a gateway holds a part', () => {
  let payments: PaymentSite;
  let model: ScriptedModel;
  let gateway: TestGateway;
  let admin: SignedIn;
  let account: SignedIn;
  let paymentId: string;

  beforeAll(async () => {
    payments = await PaymentSite.start('intl');
    model = await ScriptedModel.start();
    const { database } = payments.site;
    const price = { slug: MODEL, unit: 'per_million_output_tokens', ratePicos: TOKEN_PICOS } as const;
    await publishPrices(database.pool, [price]);
    gateway = await startGateway(database, [{ name: 'scripted', base_url: model.url }], {});
    admin = await payments.site.signedIn('admin');
  });
  beforeEach(async () => {
    account = await payments.site.signedIn();
    ({ id: paymentId } = await payments.open(account, 'card_provider'));
    await payments.sandbox.act(paymentId, 'pay');
    await payments.waitForStatus(account, paymentId, 'paid');
  });
  afterAll(async () => {
    gateway?.child.kill();
    model?.close();
    await payments.stop();
  });

  const call = async () => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.apiKey}` },
      body: JSON.stringify({
        model: MODEL,
        messages: [{ role: 'user', content: 'Hello' }],
        max_tokens: MAX_TOKENS,
        stream: true,
      }),
    });
    await response.text();
    return response.status;
  };
  const postAsAdmin = (path: string, json: unknown) =>
    payments.site.console.request('POST', `/api/admin/billing/${path}`, { token: admin.token, json });
  const refund = (amount: number) => postAsAdmin(`payments/${paymentId}/refund`, { amount });
  const adjust = (amount: number) =>
    postAsAdmin('adjustments', { account_id: account.accountId, amount, description: 'Correction' });
  const leasedCents = async () => {
    const { rows } = await payments.site.database.pool.query<{ cents: bigint }>(
      'SELECT (leased_picos / 10000000000)::bigint AS cents FROM wallet.wallets WHERE account_id = $1',
      [account.accountId],
    );
    return Number(rows[0]!.cents);
  };
  const balance = () => payments.balance(account.accountId);

  it('is refunded what is left of it while the lease is idle', async () => {
    expect(await call()).toBe(200);
    await waitFor(async () => (await balance()) === 1_995);
    expect(await leasedCents()).toBeGreaterThan(0);
    expect((await refund(19.95)).status).toBe(201);
    expect([await balance(), await leasedCents()]).toEqual([0, 0]);
  });

  it('is adjusted down to zero while the lease is idle', async () => {
    expect(await call()).toBe(200);
    await waitFor(async () => (await balance()) === 1_995);
    expect(await leasedCents()).toBeGreaterThan(0);
    expect((await adjust(-19.95)).status).toBe(201);
    expect([await balance(), await leasedCents()]).toEqual([0, 0]);
  });

  it('keeps what a running request may cost', async () => {
    const running = new Promise<ScriptedAnswer>((resolve) => model.says(resolve));
    const answered = call();
    const answer = await running;
    for (const tooMuch of [await refund(19.01), await adjust(-19.01)])
      expect([tooMuch.status, tooMuch.body]).toEqual([
        409,
        { error: 'the wallet does not cover this amount' },
      ]);
    expect((await refund(19)).status).toBe(201);
    answer.finish('stop');
    expect(await answered).toBe(200);
    await waitFor(async () => (await balance()) === 95);
  });
});
