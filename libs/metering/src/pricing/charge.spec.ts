import fc from 'fast-check';
import { charge, countsOf, RATE_DIGITS, type UsageBounds, worstCasePicos } from './charge';
import { inputTokensOf, type Meter, type MeteredUsage, METERS, outputTokensOf, PARENTS } from './meter';
import { conditionCount, conditionsKey, type Price, SERVICE_TIERS, type UnitRate } from './price';
import { PRICE_UNITS, type PriceUnit } from './price-unit';

const ONE = 10n ** BigInt(RATE_DIGITS);
const TOKEN_METERS: Meter[] = METERS.slice(0, METERS.indexOf('request'));
/** The unit that is meant for a meter alone, as the design names them. */
const OWN_UNIT: Record<Meter, PriceUnit> = {
  input: 'per_million_input_tokens',
  cached_input: 'per_million_cached_input_tokens',
  cache_write: 'per_million_cache_write_tokens',
  cache_write_1h: 'per_million_cache_write_1h_tokens',
  input_audio: 'per_million_audio_input_tokens',
  output: 'per_million_output_tokens',
  reasoning: 'per_million_reasoning_tokens',
  output_audio: 'per_million_audio_output_tokens',
  request: 'per_request',
  image: 'per_image',
  audio_second: 'per_audio_minute',
  character: 'per_million_characters',
  search: 'per_search',
};

const rate = fc.bigInt({ min: 0n, max: 10n ** 9n });
const count = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 1_000_000 }));
const usages: fc.Arbitrary<MeteredUsage> = fc.record({
  counts: fc.dictionary(fc.constantFrom(...METERS), count).map((counts) => ({ ...counts })),
  serviceTier: fc.constantFrom(null, 'default', ...SERVICE_TIERS),
});
const conditions = fc.record({
  minInputTokens: fc.constantFrom(null, 1, 100, 200_000, 1_000_000),
  serviceTier: fc.constantFrom(null, ...SERVICE_TIERS),
  hours: fc.constantFrom(null, '00:30-08:30'),
});
/** All tokens have one price, or input and output have their own. */
const isPublishable = (units: PriceUnit[]): boolean =>
  !units.includes('per_million_tokens') ||
  !units.some((unit) => unit === 'per_million_input_tokens' || unit === 'per_million_output_tokens');
/** Of each unit one price without conditions, and some with. */
const priceLists: fc.Arbitrary<Price[]> = fc
  .uniqueArray(fc.constantFrom(...PRICE_UNITS), { minLength: 1 })
  .filter(isPublishable)
  .chain((units) =>
    fc.tuple(
      ...units.map((unit) =>
        fc
          .tuple(rate, fc.array(fc.tuple(rate, conditions), { maxLength: 4 }))
          .map(([plain, others]): Price[] => [
            { unit, ratePicos: plain },
            ...others.map(([ratePicos, condition]) => ({ unit, ratePicos, ...condition })),
          ]),
      ),
    ),
  )
  .map((prices) => {
    const byKey = new Map(prices.flat().map((price) => [`${price.unit} ${conditionsKey(price)}`, price]));
    return [...byKey.values()].map((price, index) => ({ ...price, position: index + 1 }));
  });

const holds = (price: Price, { counts, serviceTier }: MeteredUsage) =>
  (price.minInputTokens ?? 0) <= inputTokensOf(counts) && (price.serviceTier ?? serviceTier) === serviceTier;

/** The meter and its parents, nearest first. */
const lineage = (meter: Meter): Meter[] => {
  const parent = PARENTS[meter];
  return [meter, ...(parent ? lineage(parent) : [])];
};
const unitsOf = (meter: Meter): PriceUnit[] =>
  lineage(meter).flatMap((one) =>
    one === 'input' || one === 'output' ? [OWN_UNIT[one], 'per_million_tokens'] : [OWN_UNIT[one]],
  );
const counted = ({ counts }: MeteredUsage): [Meter, number][] =>
  METERS.map((meter): [Meter, number] => [meter, counts[meter] ?? (meter === 'request' ? 1 : 0)]);

describe('charge', () => {
  it('puts each counted thing on one line, at the price of its nearest priced parent', () => {
    fc.assert(
      fc.property(priceLists, usages, (prices, usage) => {
        const { lines } = charge(prices, usage, ONE);
        for (const [meter, quantity] of counted(usage)) {
          const own = lines.filter((line) => line.meter === meter && line.quantity > 0n);
          const unit = unitsOf(meter).find((one) => prices.some((price) => price.unit === one));
          expect(own).toHaveLength(unit && quantity > 0 ? 1 : 0);
          if (own[0]) expect([own[0].unit, own[0].quantity]).toEqual([unit, BigInt(quantity)]);
        }
      }),
    );
  });

  it('charges a price whose conditions hold, and none with fewer of them than another', () => {
    fc.assert(
      fc.property(priceLists, usages, (prices, usage) => {
        for (const line of charge(prices, usage, ONE).lines) {
          const charged = prices.find(({ position }) => position === line.price)!;
          expect([charged.unit, charged.ratePicos]).toEqual([line.unit, line.ratePicos]);
          expect(holds(charged, usage)).toBe(true);
          for (const other of prices) {
            if (other.unit !== charged.unit || !holds(other, usage)) continue;
            expect(conditionCount(other)).toBeLessThanOrEqual(conditionCount(charged));
          }
        }
      }),
    );
  });

  it('costs the sum of its lines, each quantity × rate, and reports each token once', () => {
    fc.assert(
      fc.property(priceLists, usages, (prices, usage) => {
        const { costPicos, costUsdPicos, lines } = charge(prices, usage, ONE);
        for (const { unit, quantity, ratePicos, costPicos: cost } of lines) {
          const sixtieths = quantity * ratePicos * (unit === 'per_audio_minute' ? 1n : 60n);
          expect(cost * 60n - sixtieths).toBeGreaterThanOrEqual(0n);
          expect(cost * 60n - sixtieths).toBeLessThan(unit === 'per_audio_minute' ? 60n : 1n);
        }
        expect(lines.reduce((sum, line) => sum + line.costPicos, 0n)).toBe(costPicos);
        expect(costUsdPicos).toBe(costPicos);
        const tokens = inputTokensOf(usage.counts) + outputTokensOf(usage.counts);
        expect(lines.length).toBeGreaterThan(0);
        expect(lines.reduce((sum, line) => sum + line.tokens, 0n)).toBe(BigInt(tokens));
      }),
    );
  });

  it('never exceeds the worst case of bounds that it keeps', () => {
    fc.assert(
      fc.property(priceLists, usages, count, count, (prices, usage, moreInput, moreOutput) => {
        const { image, audio_second, character, search, request } = usage.counts;
        const bounds = {
          inputTokens: inputTokensOf(usage.counts) + moreInput,
          outputTokens: outputTokensOf(usage.counts) + moreOutput,
          counts: {
            ...(image !== undefined && { image }),
            ...(audio_second !== undefined && { audio_second }),
            ...(character !== undefined && { character }),
            ...(search !== undefined && { search }),
            ...(request !== undefined && { request }),
          },
        };
        expect(charge(prices, usage, ONE).costPicos).toBeLessThanOrEqual(worstCasePicos(prices, bounds));
      }),
      { numRuns: 500 },
    );
  });

  it('reaches the worst case with one of the meters, so no more is held than a call can cost', () => {
    const of = (root: Meter) => TOKEN_METERS.filter((meter) => lineage(meter).includes(root));
    fc.assert(
      fc.property(priceLists, count, count, (all, inputTokens, outputTokens) => {
        const prices = all.filter((price) => conditionCount(price) === 0);
        const costs = of('input').flatMap((input) =>
          of('output').map((output) => {
            const counts = { [input]: inputTokens, [output]: outputTokens };
            return charge(prices, { counts, serviceTier: null }, ONE).costPicos;
          }),
        );
        const dearest = costs.reduce((most, cost) => (cost > most ? cost : most), 0n);
        expect(worstCasePicos(prices, { inputTokens, outputTokens })).toBe(dearest);
      }),
    );
  });

  it('rounds each line to the nearest pico of a dollar', () => {
    fc.assert(
      fc.property(priceLists, usages, fc.bigInt({ min: 1n, max: 2n * ONE }), (prices, usage, usdPerUnit) => {
        const result = charge(prices, usage, usdPerUnit);
        for (const { costPicos, costUsdPicos } of result.lines) {
          const difference = costUsdPicos * ONE - costPicos * usdPerUnit;
          expect((difference < 0n ? -difference : difference) * 2n <= ONE).toBe(true);
        }
        expect(result.lines.reduce((sum, line) => sum + line.costUsdPicos, 0n)).toBe(result.costUsdPicos);
      }),
    );
  });

  it('charges a known request exactly', () => {
    const prices: UnitRate[] = [
      { unit: 'per_million_input_tokens', ratePicos: 37_500n },
      { unit: 'per_million_output_tokens', ratePicos: 150_000n },
    ];
    const { costPicos, lines } = charge(prices, countsOf({ inputTokens: 1_234, outputTokens: 7 }), ONE);
    expect(costPicos).toBe(47_325_000n);
    expect(lines.map(({ meter, unit, quantity }) => [meter, unit, quantity])).toEqual([
      ['input', 'per_million_input_tokens', 1_234n],
      ['output', 'per_million_output_tokens', 7n],
    ]);
  });

  it('charges what was written for an hour as what was written for five minutes, and that as input', () => {
    const usage = {
      counts: { input: 1, cached_input: 10, cache_write: 100, cache_write_1h: 1_000 },
      serviceTier: null,
    };
    const input: UnitRate = { unit: 'per_million_input_tokens', ratePicos: 3n };
    const write: UnitRate = { unit: 'per_million_cache_write_tokens', ratePicos: 5n };
    const hour: UnitRate = { unit: 'per_million_cache_write_1h_tokens', ratePicos: 7n };
    expect(charge([input], usage, ONE).costPicos).toBe(1_111n * 3n);
    expect(charge([input, write], usage, ONE).costPicos).toBe(11n * 3n + 1_100n * 5n);
    expect(charge([input, write, hour], usage, ONE).costPicos).toBe(11n * 3n + 100n * 5n + 1_000n * 7n);
  });

  it('prices the whole call by its context tier, which cached tokens count towards', () => {
    const prices: Price[] = [
      { unit: 'per_million_tokens', ratePicos: 1n },
      { unit: 'per_million_tokens', ratePicos: 2n, minInputTokens: 128_000 },
      { unit: 'per_million_tokens', ratePicos: 4n, minInputTokens: 256_000 },
    ];
    const costOf = (input: number, cached: number) =>
      charge(prices, { counts: { input, cached_input: cached, output: 1 }, serviceTier: null }, ONE)
        .costPicos;
    expect(costOf(127_999, 0)).toBe(128_000n);
    expect(costOf(100_000, 28_000)).toBe(2n * 128_001n);
    expect(costOf(256_000, 0)).toBe(4n * 256_001n);
  });

  it('rounds the seconds of a minute up once', () => {
    const prices: UnitRate[] = [{ unit: 'per_audio_minute', ratePicos: 100n }];
    const costOf = (seconds: number) =>
      charge(prices, { counts: { audio_second: seconds }, serviceTier: null }, ONE).costPicos;
    expect([1, 2, 3, 59, 60, 61].map(costOf)).toEqual([2n, 4n, 5n, 99n, 100n, 102n]);
  });

  it('has a line also for a call that used nothing, and puts unpriced tokens on the first one', () => {
    const input: UnitRate[] = [{ unit: 'per_million_input_tokens', ratePicos: 5n }];
    const nothing = charge(input, countsOf({ inputTokens: 0, outputTokens: 0 }), ONE);
    expect(nothing).toMatchObject({
      costPicos: 0n,
      lines: [{ unit: 'per_million_input_tokens', quantity: 0n }],
    });
    const request: UnitRate[] = [{ unit: 'per_request', ratePicos: 5n }];
    expect(charge(request, countsOf({ inputTokens: 3, outputTokens: 4 }), ONE)).toMatchObject({
      costPicos: 5n,
      lines: [{ meter: 'request', quantity: 1n, tokens: 7n }],
    });
  });

  it('keeps on a line the price, its place and its conditions', () => {
    const effectiveFrom = new Date('2026-12-01T00:00:00Z');
    const prices: Price[] = [
      { unit: 'per_request', ratePicos: 3n, position: 1 },
      {
        unit: 'per_request',
        ratePicos: 2n,
        position: 2,
        serviceTier: 'flex',
        hours: '00:30-08:30',
        effectiveFrom,
      },
    ];
    const lineOf = (serviceTier: string | null) => charge(prices, { counts: {}, serviceTier }, ONE).lines;
    expect(lineOf(null)).toMatchObject([{ ratePicos: 3n, price: 1, conditions: null }]);
    expect(lineOf('flex')).toMatchObject([
      {
        ratePicos: 2n,
        price: 2,
        conditions: {
          service_tier: 'flex',
          hours: '00:30-08:30',
          effective_from: '2026-12-01T00:00:00.000Z',
        },
      },
    ]);
  });
});

describe('the worst case', () => {
  const prices: Price[] = [
    { unit: 'per_million_input_tokens', ratePicos: 3n },
    { unit: 'per_million_cache_write_1h_tokens', ratePicos: 6n },
    { unit: 'per_million_input_tokens', ratePicos: 9n, minInputTokens: 200_000 },
    { unit: 'per_million_output_tokens', ratePicos: 10n },
    { unit: 'per_million_output_tokens', ratePicos: 25n, serviceTier: 'priority' },
    { unit: 'per_million_output_tokens', ratePicos: 40n, minInputTokens: 200_000 },
  ];

  it('is the dearest price that the bounds can reach, of any meter and tier', () => {
    expect(worstCasePicos(prices, { inputTokens: 1_000, outputTokens: 10 })).toBe(6_250n);
    expect(worstCasePicos(prices, { inputTokens: 200_000, outputTokens: 10 })).toBe(1_800_400n);
  });

  it('is that of the longest prompt or the longest answers that fit into the context together', () => {
    const of = (inputTokens: number, outputTokens: number, context: UsageBounds['context']) =>
      worstCasePicos(prices, { inputTokens, outputTokens, context });
    const flat: UnitRate[] = [
      { unit: 'per_million_input_tokens', ratePicos: 3n },
      { unit: 'per_million_output_tokens', ratePicos: 10n },
    ];
    const dearPrompt = flat.map(({ unit }, i) => ({ unit, ratePicos: [20n, 3n][i]! }));
    const both = { tokens: 1_000, answers: 1 };
    expect(worstCasePicos(flat, { inputTokens: 800, outputTokens: 600, context: both })).toBe(
      1_200n + 6_000n,
    );
    expect(worstCasePicos(dearPrompt, { inputTokens: 800, outputTokens: 600, context: both })).toBe(
      16_000n + 600n,
    );
    expect(
      worstCasePicos(flat, { inputTokens: 800, outputTokens: 1_200, context: { tokens: 1_000, answers: 2 } }),
    ).toBe(1_200n + 12_000n);
    expect(of(1_000, 10, { tokens: 5_000, answers: 1 })).toBe(6_250n);
  });

  it('holds for every split of the context', () => {
    const tokens = fc.nat({ max: 2_000 });
    const answers = fc.integer({ min: 1, max: 4 });
    fc.assert(
      fc.property(
        priceLists,
        tokens,
        tokens,
        tokens,
        answers,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 2 }),
        (all, inputTokens, each, context, count_, [a, b]) => {
          const bounds = {
            inputTokens,
            outputTokens: each * count_,
            context: { tokens: context, answers: count_ },
          };
          const input = Math.floor(Math.min(inputTokens, context) * a!);
          const output = Math.floor(Math.min(each, context - input) * (b! < 0.5 ? 1 : b!)) * count_;
          const cost = charge(
            all,
            { counts: { input, output, request: 1 }, serviceTier: null },
            ONE,
          ).costPicos;
          expect(cost).toBeLessThanOrEqual(worstCasePicos(all, bounds));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('counts what is bounded beside tokens', () => {
    const others: UnitRate[] = [
      { unit: 'per_request', ratePicos: 1n },
      { unit: 'per_image', ratePicos: 10n },
      { unit: 'per_audio_minute', ratePicos: 90n },
      { unit: 'per_million_characters', ratePicos: 1_000n },
      { unit: 'per_search', ratePicos: 10_000n },
    ];
    const counts = { image: 2, audio_second: 61, character: 3, search: 4 };
    expect(worstCasePicos(others, { inputTokens: 0, outputTokens: 0, counts })).toBe(
      1n + 20n + 92n + 3_000n + 40_000n,
    );
  });
});
