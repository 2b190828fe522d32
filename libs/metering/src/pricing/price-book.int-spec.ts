import { type Database, NotificationChannel } from '@inference/database';
import { createTestDatabase, publishPrices, type TestDatabase, waitFor } from '@inference/testing';
import { PriceBook } from './price-book';

let database: TestDatabase;
let channel: NotificationChannel;
let book: PriceBook;
let heard = 0;
let reads = 0;
/** Holds the answers of reads that have begun. */
let held: Promise<void> | undefined;

const publish = () => publishPrices(database.pool, [{ slug: 'm', unit: 'per_request', ratePicos: 1n }]);

beforeAll(async () => {
  database = await createTestDatabase();
  channel = new NotificationChannel(database.urlFor('gateway'), 'gateway');
  const query = async (text: string, values: unknown[]) => {
    reads++;
    const until = held;
    const answer = await database.pool.query(text, values);
    await until;
    return answer;
  };
  book = new PriceBook({ query } as unknown as Database, 'intl', channel, 'training');
  channel.on('pricing', () => heard++);
  await channel.start();
});
afterAll(async () => {
  await channel.close();
  await database.drop();
});

it('decides for a list that was announced while older prices were read', async () => {
  await publish();
  await waitFor(() => heard === 1);
  let release!: () => void;
  held = new Promise((resolve) => (release = resolve));
  const deciding = book.decide();
  await waitFor(() => reads === 1);
  // The read has its snapshot of the list before.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const list = await publish();
  await waitFor(() => heard === 2);
  held = undefined;
  release();
  const { at, prices } = await deciding;
  expect(prices.priceListId).toBe(list);
  expect(at.getTime()).toBeGreaterThan(prices.effectiveFrom.getTime());
});

it('decides for each list from its announcement on, and reads nothing in between', async () => {
  for (let i = 0; i < 5; i++) {
    const before = heard;
    const list = await publish();
    await waitFor(() => heard > before);
    reads = 0;
    for (let call = 0; call < 20; call++) expect((await book.decide()).prices.priceListId).toBe(list);
    expect(reads).toBe(1);
  }
});
