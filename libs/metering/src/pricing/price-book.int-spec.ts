import { type Database, NotificationChannel } from '@inference/database';
import { createTestDatabase, publishPrices, type TestDatabase, TestPool, waitFor } from '@inference/testing';
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

it('reads prices of every unit and with conditions, in their order, as the gateway may', async () => {
  const effectiveFrom = new Date('2100-01-01T00:00:00Z');
  const before = heard;
  await publishPrices(database.pool, [
    { slug: 'm', unit: 'per_million_input_tokens', ratePicos: 5n },
    { slug: 'm', unit: 'per_million_cached_input_tokens', ratePicos: 1n },
    {
      slug: 'm',
      unit: 'per_million_input_tokens',
      ratePicos: 9n,
      minInputTokens: 200_000,
      serviceTier: 'flex',
    },
    { slug: 'm', unit: 'per_million_input_tokens', ratePicos: 4n, effectiveFrom },
    { slug: 'm', unit: 'per_million_output_tokens', ratePicos: 7n },
    { slug: 'later', unit: 'per_image', ratePicos: 7n, effectiveFrom },
  ]);
  await waitFor(() => heard > before);
  const gateway = TestPool.of({ url: database.urlFor('gateway'), applicationName: 'test', size: 1 });
  const own = new PriceBook(gateway, 'intl', channel, 'training');
  const { models } = (await own.decide()).prices;
  await gateway.end();
  expect([...models.keys()]).toEqual(['m']);
  expect(models.get('m')!.map(({ position, ratePicos }) => [position, Number(ratePicos)])).toEqual([
    [1, 5],
    [2, 1],
    [3, 9],
    [5, 7],
  ]);
  expect(models.get('m')![2]).toMatchObject({ minInputTokens: 200_000, serviceTier: 'flex', hours: null });
});
