import { timesAsLong } from '@inference/testing';
import fc from 'fast-check';
import {
  conditionCount,
  conditionsKey,
  holdsFor,
  isWithin,
  minutesOf,
  newestEffective,
  precedence,
  SERVICE_TIERS,
} from '@inference/metering';
import { ambiguousPrices, listFaults } from './price-list-faults';
import { type IndexedPrice, MAX_ROWS, type PricedModel, type RowFault } from './price-list-rules';

const UNIT = 'per_million_tokens';
const MOST_OF_UNIT = 24;
/** What is read at once in some 80 ms. */
const PARSED = JSON.stringify('"'.repeat(15_000_000));
const MOST_TIMES = 4;
const EARLIEST = new Date(-8.64e15);

const conditions = fc.record({
  minInputTokens: fc.constantFrom(null, 1, 2, 3),
  serviceTier: fc.constantFrom(null, ...SERVICE_TIERS),
  hours: fc.constantFrom(null, '00:00-08:00', '06:00-12:00', '10:00-02:00', '22:00-00:30'),
  effectiveFrom: fc.constantFrom(null, new Date(1), new Date(2), new Date(3)),
});
const idOf = (price: PricedModel) => `${conditionsKey(price)} ${price.effectiveFrom?.getTime() ?? ''}`;
const lists = fc
  .uniqueArray(conditions, {
    maxLength: 8,
    selector: (one) => idOf({ slug: 'm', unit: UNIT, ratePicos: 1n, ...one }),
  })
  .map((rows) =>
    rows.map((row, index): IndexedPrice => ({ slug: 'm', unit: UNIT, ratePicos: 1n, index, ...row })),
  );

/** The faults of every two that some call may be charged at either of, found by trying every kind of call at every time. */
function tiesOf(prices: IndexedPrice[]): RowFault[] {
  const all = prices.filter((price) => conditionCount(price) > 0);
  const ends = all.flatMap(({ hours }) => (hours ? Object.values(minutesOf(hours)) : []));
  const ties: RowFault[] = [];
  for (const at of [EARLIEST, ...all.flatMap(({ effectiveFrom }) => effectiveFrom ?? [])])
    for (const minute of [0, ...ends])
      for (const inputTokens of [0, 1, 2, 3])
        for (const serviceTier of [null, ...SERVICE_TIERS]) {
          const held = newestEffective(all, at).filter(
            (price) =>
              (!price.hours || isWithin(minutesOf(price.hours), minute)) &&
              holdsFor(price, { inputTokens, serviceTier }),
          );
          const charged = held.filter((price) => held.every((other) => precedence(other, price) <= 0));
          for (const one of charged)
            for (const other of charged) if (one.index < other.index) ties.push(faultOf(one, other));
        }
  return ties;
}

function faultOf(...both: IndexedPrice[]): RowFault {
  const named = both.map(({ minInputTokens, serviceTier, hours }) =>
    [
      ...(minInputTokens ? [`min_input_tokens ${minInputTokens}`] : []),
      ...(serviceTier ? [`service_tier ${serviceTier}`] : []),
      ...(hours ? [`hours ${hours}`] : []),
    ].join(', '),
  );
  const message = `m has prices ${UNIT} of ${named.join(' and of ')} that can hold for the same call: add one with the conditions of both`;
  return { index: both[1]!.index, field: 'unit', message };
}

it('finds a tie where trying every call finds one, and names two of which neither decides', () => {
  let tied = 0;
  const runs = 300;
  fc.assert(
    fc.property(lists, (prices) => {
      const ties = tiesOf(prices);
      const faults = ambiguousPrices(prices);
      tied += Math.min(1, ties.length);
      expect(faults).toHaveLength(Math.min(1, ties.length));
      for (const fault of faults) expect(ties).toContainEqual(fault);
    }),
    { numRuns: runs },
  );
  expect(tied).toBeGreaterThan(runs / 10);
  expect(tied).toBeLessThan(runs * 0.9);
});

it('finds a tie with a price between two of which one goes before the other', () => {
  const price = (index: number, one: Partial<PricedModel>): IndexedPrice => {
    return { slug: 'm', unit: UNIT, ratePicos: 1n, index, ...one };
  };
  const prices = [
    price(0, { minInputTokens: 1, hours: '06:00-12:00' }),
    price(1, { minInputTokens: 3, serviceTier: 'priority' }),
    price(2, { minInputTokens: 2, hours: '06:00-12:00' }),
  ];
  expect(ambiguousPrices(prices)).toEqual([faultOf(prices[1]!, prices[2]!)]);
});

const clockOf = (minute: number) =>
  `${String(Math.floor(minute / 60) % 24).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** As many prices as the limits admit, nothing of which is decided by the first look at them. */
function longestList(rowOf: (place: number) => Partial<PricedModel>): PricedModel[] {
  return Array.from({ length: MAX_ROWS }, (_row, at) => ({
    slug: `m${Math.floor(at / MOST_OF_UNIT)}`,
    unit: UNIT,
    ratePicos: 1n,
    ...(at % MOST_OF_UNIT > 0 && rowOf(at % MOST_OF_UNIT)),
  }));
}

it.each<[string, (place: number) => Partial<PricedModel>]>([
  ['windows', (place) => ({ hours: `${clockOf(place * 50)}-${clockOf(place * 50 + 49)}` })],
  [
    'everything',
    (place) => ({
      hours: `${clockOf(place * 50)}-${clockOf(place * 50 + 49)}`,
      minInputTokens: place,
      effectiveFrom: new Date(4e12 + place),
    }),
  ],
  ['instants', (place) => ({ minInputTokens: place, effectiveFrom: new Date(4e12 + place) })],
])('takes a short time for the longest list of %s', async (_kind, rowOf) => {
  const rows = longestList(rowOf);
  const times = await timesAsLong(
    () => expect(listFaults(rows)).toEqual([]),
    () => JSON.parse(PARSED) as unknown,
    MOST_TIMES,
  );
  expect(times).toBeLessThan(MOST_TIMES);
});

it('takes a short time to refuse a list of one unit', () => {
  const rows = Array.from({ length: MAX_ROWS }, (_row, at): PricedModel => ({
    slug: 'm',
    unit: UNIT,
    ratePicos: 1n,
    minInputTokens: at,
  }));
  expect(listFaults(rows)).toHaveLength(1);
});
