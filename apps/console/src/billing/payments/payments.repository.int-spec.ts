import { createTestDatabase, insertAccount, type TestDatabase, TestPool } from '@inference/testing';
import { ENTITIES } from '../../entities';
import { insertPayment, insertRefund } from '../documents/documents.fixture';
import { type Payment, type PaymentStatus, type RefundStatus } from './payment.entity';
import {
  endRefusedPayment,
  endUnpaidPayment,
  findPayment,
  releasePayment,
  storeCheckout,
} from './payments.repository';
import { findRefund, requestRefundCheck } from './refunds.repository';

const checkout = (name: string) =>
  ({ providerOrderId: name, checkout: { type: 'qr', url: `https://pay.test/${name}` } }) as const;

describe('a payment', () => {
  let database: TestDatabase;
  /** Connects with the console's database role. */
  let pool: TestPool;
  let accountId: string;

  beforeAll(async () => {
    database = await createTestDatabase(ENTITIES);
    const options = { url: database.urlFor('console'), applicationName: 'test', size: 2 };
    pool = await TestPool.withEntities(options, ENTITIES);
    ({ accountId } = await insertAccount(database.pool));
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const insert = (status: PaymentStatus) => insertPayment(database.pool, accountId, { status });
  const refuse = ({ id }: Payment) =>
    pool.transaction((transaction) => endRefusedPayment(transaction, id, 'refused', 3_600));
  const secondsUntilCheck = async ({ id }: Payment) => {
    const { nextCheckAt } = (await findPayment(pool, id))!;
    return nextCheckAt && Math.round((nextCheckAt.getTime() - Date.now()) / 60_000) * 60;
  };

  it.each(['paid', 'failed', 'expired'] as const)('that is %s does not end unpaid', async (status) => {
    const before = await insert(status);
    expect(await endUnpaidPayment(pool, before.id, { status: 'failed', failure: 'late' }, 3_600)).toBe(false);
    await refuse(before);
    expect(await findPayment(pool, before.id)).toEqual(before);
  });

  it('that is pending ends unpaid and is checked again', async () => {
    const payment = await insert('pending');
    expect(await endUnpaidPayment(pool, payment.id, { status: 'expired', failure: null }, 3_600)).toBe(true);
    expect(await findPayment(pool, payment.id)).toMatchObject({ status: 'expired', failure: null });
    expect(await secondsUntilCheck(payment)).toBe(3_600);
  });

  it('that the provider refuses fails only while it has no checkout', async () => {
    const [opened, unopened] = [await insert('pending'), await insert('pending')];
    const stored = await storeCheckout(pool, opened.id, checkout('opened'));
    expect(stored).toEqual(await findPayment(pool, opened.id));
    await refuse(opened);
    await refuse(unopened);
    expect(await findPayment(pool, opened.id)).toEqual(stored);
    expect(await findPayment(pool, unopened.id)).toMatchObject({ status: 'failed', failure: 'refused' });
  });

  it('keeps its first checkout', async () => {
    const { id } = await insert('pending');
    const first = await storeCheckout(pool, id, checkout('first'));
    expect(await storeCheckout(pool, id, checkout('second'))).toEqual(first);
  });

  it('is released only in the status in which it was claimed', async () => {
    const payment = await insert('pending');
    await releasePayment(pool, { ...payment, status: 'expired', now: new Date() }, 3_600);
    expect(await secondsUntilCheck(payment)).toBeNull();
    await releasePayment(pool, { ...payment, now: new Date() }, 3_600);
    expect(await secondsUntilCheck(payment)).toBe(3_600);
    await releasePayment(pool, { ...payment, now: new Date() }, null);
    expect(await secondsUntilCheck(payment)).toBeNull();
  });

  it.each<[RefundStatus, boolean]>([
    ['pending', true],
    ['succeeded', true],
    ['failed', false],
  ])('with a %s refund: a check of the refund can be requested: %s', async (status, isChecked) => {
    const refundId = await insertRefund(database.pool, await insert('paid'), { status });
    await requestRefundCheck(pool, refundId);
    expect((await findRefund(pool, refundId))!.nextCheckAt !== null).toBe(isChecked);
  });
});
