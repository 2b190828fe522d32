import { minuteOfDay, precedence, type Price, pricesAt, pricesOutput } from './price';
import { type PriceUnit, quantityIn } from './price-unit';

const IN = 'per_million_input_tokens';
const OUT = 'per_million_output_tokens';
const BOTH = 'per_million_tokens';
const REQUEST = 'per_request';

describe('pricesOutput', () => {
  it.each<[PriceUnit[], boolean]>([
    [[BOTH], true],
    [[OUT], true],
    [[IN, OUT], true],
    [[REQUEST], true],
    [[REQUEST, BOTH], true],
    [[REQUEST, IN, OUT], true],
    [['per_image'], false],
    [['per_audio_minute', REQUEST], true],
    [['per_audio_minute', 'per_million_characters'], false],
    [[IN], false],
    [[REQUEST, IN], false],
    [[IN, 'per_million_reasoning_tokens'], false],
  ])('of %j is %s, also for a price of 0', (units, expected) =>
    expect(pricesOutput(units.map((unit) => ({ unit, ratePicos: 0n })))).toBe(expected),
  );
});

describe('pricesAt', () => {
  const price = (ratePicos: bigint, conditions: Partial<Price> = {}): Price => ({
    unit: REQUEST,
    ratePicos,
    ...conditions,
  });
  const ratesAt = (prices: Price[], at: string, timeZone = 'UTC') =>
    pricesAt(prices, new Date(at), timeZone).map(({ ratePicos }) => Number(ratePicos));

  it('leaves out what is not effective yet, and what is replaced then', () => {
    const effectiveFrom = new Date('2026-12-01T00:00:00Z');
    const prices = [price(1n), price(2n, { effectiveFrom }), price(3n, { serviceTier: 'flex' })];
    expect(ratesAt(prices, '2026-11-30T23:59:59.999Z')).toEqual([1, 3]);
    expect(ratesAt(prices, '2026-12-01T00:00:00Z')).toEqual([2, 3]);
  });

  it.each([
    ['16:29:59', [1]],
    ['16:30:00', [1, 2]],
    ['23:59:59', [1, 2]],
    ['00:00:00', [1, 2]],
    ['00:29:59', [1, 2]],
    ['00:30:00', [1]],
  ])('judges a window over midnight at %s', (time, expected) =>
    expect(ratesAt([price(1n), price(2n, { hours: '16:30-00:30' })], `2026-11-28T${time}Z`)).toEqual(
      expected,
    ),
  );

  it('judges hours by clocks in the time zone', () => {
    const prices = [price(1n), price(2n, { hours: '00:30-08:30' })];
    expect(ratesAt(prices, '2026-11-28T16:30:00Z', 'Asia/Shanghai')).toEqual([1, 2]);
    expect(ratesAt(prices, '2026-11-28T00:30:00Z', 'Asia/Shanghai')).toEqual([1]);
  });

  it('has the hour that clocks show twice twice, and the one that they leave out never', () => {
    const prices = [price(1n), price(2n, { hours: '02:00-03:00' })];
    const at = (instant: string) => ratesAt(prices, instant, 'Europe/Berlin').length === 2;
    // In October 03:00 becomes 02:00 at 01:00 UTC; in March 02:00 becomes 03:00.
    expect(['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T02:00:00Z'].map(at)).toEqual([
      true,
      true,
      false,
    ]);
    expect(['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z'].map(at)).toEqual([false, false]);
  });

  it('knows the first minute of a day as 0', () => {
    expect(minuteOfDay(new Date('2026-11-28T00:00:00Z'), 'UTC')).toBe(0);
    expect(minuteOfDay(new Date('2026-11-28T23:59:59Z'), 'UTC')).toBe(24 * 60 - 1);
  });
});

it('prefers more conditions, then the higher context tier of equal kinds, and decides nothing else', () => {
  expect(precedence({ serviceTier: 'flex', hours: '00:00-01:00' }, { minInputTokens: 5 })).toBeGreaterThan(0);
  expect(precedence({ minInputTokens: 5 }, { minInputTokens: 9 })).toBeLessThan(0);
  expect(precedence({ minInputTokens: 5 }, { serviceTier: 'flex' })).toBe(0);
});

it.each<[PriceUnit, bigint, string]>([
  ['per_million_characters', 1_234n, '0.001234'],
  ['per_image', 3n, '3'],
  ['per_audio_minute', 90n, '1.5'],
  ['per_audio_minute', 1n, '0.016666666667'],
])('tells a quantity in %s', (unit, quantity, expected) => expect(quantityIn(unit, quantity)).toBe(expected));
