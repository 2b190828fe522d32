import { waitFor } from '@inference/testing';
import { newCredentials } from './credentials/credentials';
import { TestMerchant } from './merchant.fixture';
import { type NewOrder } from './orders/order-book';
import { Sandbox } from './sandbox';

const order = (id: string, expiresInMs: number): NewOrder => ({
  ...{ id, provider: 'stripe', amountMinor: 1_000, currency: 'USD', description: 'Top-up' },
  ...{ reference: 'pi_1', expiresAt: new Date(Date.now() + expiresInMs).toISOString() },
  ...{ notifyUrl: null, returnUrl: 'http://merchant.test' },
  details: { session: `cs_${id}`, charge: 'ch_1', metadata: '{}', paymentMetadata: '{}' },
});

describe('the orders of the sandbox', () => {
  let merchant: TestMerchant;
  let sandbox: Sandbox;

  beforeEach(async () => {
    merchant = await TestMerchant.start();
    const { accounts } = newCredentials('intl');
    const config = { host: '', port: 0, accounts, merchant: merchant.url, file: null };
    sandbox = new Sandbox(config, 'http://sandbox.test');
    await sandbox.start();
  });
  afterEach(async () => {
    await sandbox.close();
    await merchant.close();
  });

  it('expire without a request, and the merchant is notified', async () => {
    sandbox.book.open(order('kept', 60_000));
    sandbox.book.open(order('run_out', 50));
    await waitFor(() => merchant.received.length > 0);
    expect(merchant.received).toHaveLength(1);
    expect(JSON.parse(merchant.received[0]!.body)).toMatchObject({
      type: 'checkout.session.expired',
      data: { object: { id: 'cs_run_out' } },
    });
    expect(sandbox.book.find('kept')!.status).toBe('open');
  });

  it('are discarded at the limit, the oldest finished one first', () => {
    sandbox.book.open(order('open', 60_000));
    for (let i = 0; i < 10_000; i++) {
      const opened = sandbox.book.open(order(`over_${i}`, 60_000));
      opened.status = 'closed';
    }
    expect(sandbox.book.list()).toHaveLength(10_000);
    expect(sandbox.book.find('open')!.status).toBe('open');
    expect(sandbox.book.find('over_0')).toBeUndefined();
    expect(sandbox.book.find('over_1')).toBeDefined();
  });
});
