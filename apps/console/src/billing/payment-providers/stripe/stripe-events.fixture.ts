import { type ProviderNotification, InvalidNotificationError } from '../payment-provider';

/** The reason for which a notification is refused, or `accepted: ` and what it is about. */
export const verdictOf = (verified: Promise<ProviderNotification>): Promise<string> =>
  verified.then(
    ({ about }) => `accepted: ${about}`,
    (error: unknown) => {
      if (error instanceof InvalidNotificationError) return error.reason;
      throw error;
    },
  );

export const session = (change: object = {}) => ({
  id: 'cs_test_1',
  object: 'checkout.session',
  created: 1_800_000_000,
  status: 'complete',
  payment_status: 'paid',
  amount_total: 2_000,
  currency: 'usd',
  payment_intent: 'pi_1',
  customer_details: { name: 'Ada', email: 'ada@example.com' },
  client_reference_id: 'pay_000001',
  metadata: { payment_id: 'pay_000001' },
  ...change,
});
export const eventOf = (type: string, object: unknown, change: object = {}) => ({
  id: 'evt_1',
  object: 'event',
  api_version: '2022-11-15',
  created: 1_800_000_300,
  data: { object },
  livemode: false,
  type,
  ...change,
});
export const completed = (change: object = {}) => eventOf('checkout.session.completed', session(change));
