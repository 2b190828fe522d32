import { type Site } from '@inference/config';
import { type Database, type NotificationChannel } from '@inference/database';
import { type Price } from './price';
import { PriceBook } from './price-book';

const CHANNEL = { on: () => undefined, onReconnect: () => undefined } as unknown as NotificationChannel;

/** A book whose list came into force then; the database takes some time to say so. */
function bookOf(effectiveFrom: () => Date, further: Partial<Price>[] = [], site: Site = 'intl'): PriceBook {
  const row = (price: Partial<Price>) => ({
    priceListId: 7n,
    listEffectiveFrom: effectiveFrom(),
    slug: 'm',
    unit: 'per_request',
    ratePicos: 1n,
    usdPerUnit: '0.14',
    ...price,
  });
  const rows = () => [{}, ...further].map(row);
  const query = () => new Promise((resolve) => setTimeout(() => resolve({ rows: rows() }), 20));
  return new PriceBook({ query } as unknown as Database, site, CHANNEL, 'training');
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

describe('prices with a time', () => {
  const started = new Date('2026-11-28T00:00:00Z');
  const ratesAt = async (book: PriceBook, at: string) => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.parse(at));
    return (await book.decide()).prices.models.get('m')!.map(({ ratePicos }) => Number(ratePicos));
  };
  afterEach(() => jest.restoreAllMocks());

  it('are in force from their instant on, without another list and without another read', async () => {
    const effectiveFrom = new Date('2026-12-01T00:00:00Z');
    const book = bookOf(() => started, [{ ratePicos: 2n, effectiveFrom }]);
    expect(await ratesAt(book, '2026-11-30T23:59:59.999Z')).toEqual([1]);
    expect(await ratesAt(book, '2026-12-01T00:00:00.000Z')).toEqual([2]);
  });

  it.each<[Site, string, string]>([
    ['intl', '2026-11-28T16:29:59.999Z', '2026-11-28T16:30:00.000Z'],
    ['cn', '2026-11-29T08:29:59.999Z', '2026-11-29T08:30:00.000Z'],
  ])('hold in their hours in the time zone of the site %s', async (site, before, after) => {
    const book = bookOf(() => started, [{ ratePicos: 2n, hours: '16:30-00:30' }], site);
    expect(await ratesAt(book, before)).toEqual([1]);
    expect(await ratesAt(book, after)).toEqual([1, 2]);
    expect(await ratesAt(book, before)).toEqual([1]);
  });
});
