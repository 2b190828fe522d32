import { type Database, type NotificationChannel } from '@inference/database';
import { PriceBook } from './price-book';

const CHANNEL = { on: () => undefined, onReconnect: () => undefined } as unknown as NotificationChannel;

/** A book whose list came into force then; the database takes some time to say so. */
function bookOf(effectiveFrom: () => Date): PriceBook {
  const row = () => ({
    priceListId: 7n,
    effectiveFrom: effectiveFrom(),
    slug: 'm',
    unit: 'per_request',
    ratePicos: 1n,
  });
  const query = () => new Promise((resolve) => setTimeout(() => resolve({ rows: [row()] }), 20));
  return new PriceBook({ query } as unknown as Database, 'intl', CHANNEL, 'training');
}

it('takes the instant when it knows the prices: a list that came into force while they were read is not later', async () => {
  let effectiveFrom = new Date();
  const book = bookOf(() => (effectiveFrom = new Date()));
  const { at, prices } = await book.decide();
  expect(prices.effectiveFrom).toBe(effectiveFrom);
  expect(at.getTime()).toBeGreaterThan(effectiveFrom.getTime());
});

it('takes no instant before the list came into force, even if the clock is slow', async () => {
  const effectiveFrom = new Date(Date.now() + 120_000);
  const { at } = await bookOf(() => effectiveFrom).decide();
  expect(at.getTime()).toBe(effectiveFrom.getTime() + 1);
});
