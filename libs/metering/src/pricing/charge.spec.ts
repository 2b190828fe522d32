import fc from 'fast-check';
import { charge, RATE_DIGITS, worstCasePicos } from './charge';
import { PRICE_UNITS, type UnitRate } from './price-unit';

const ONE = 10n ** BigInt(RATE_DIGITS);
const tokens = fc.integer({ min: 0, max: 10_000_000 });
const rate = fc.bigInt({ min: 0n, max: 10n ** 9n });
const ratesOf = (units: readonly UnitRate['unit'][]) =>
  fc.tuple(...units.map((unit) => rate.map((ratePicos): UnitRate => ({ unit, ratePicos }))));
const rates = fc
  .constantFrom<UnitRate['unit'][]>(
    ['per_million_tokens'],
    ['per_million_input_tokens'],
    ['per_million_output_tokens'],
    ['per_million_input_tokens', 'per_million_output_tokens'],
    ['per_request'],
    ['per_million_tokens', 'per_request'],
    ['per_request', 'per_million_input_tokens', 'per_million_output_tokens'],
  )
  .chain(ratesOf);

describe('charge', () => {
  it('is each quantity times its rate, and reports each token once', () => {
    fc.assert(
      fc.property(rates, tokens, tokens, (unitRates, inputTokens, outputTokens) => {
        const result = charge(unitRates, { inputTokens, outputTokens }, ONE);
        const byUnit = new Map(unitRates.map(({ unit, ratePicos }) => [unit, ratePicos]));
        const expected =
          BigInt(inputTokens + outputTokens) * (byUnit.get('per_million_tokens') ?? 0n) +
          BigInt(inputTokens) * (byUnit.get('per_million_input_tokens') ?? 0n) +
          BigInt(outputTokens) * (byUnit.get('per_million_output_tokens') ?? 0n) +
          (byUnit.get('per_request') ?? 0n);
        expect(result.costPicos).toBe(expected);
        expect(result.lines.reduce((sum, line) => sum + line.costPicos, 0n)).toBe(expected);
        expect(result.lines.reduce((sum, line) => sum + line.tokens, 0n)).toBe(
          BigInt(inputTokens + outputTokens),
        );
        for (const line of result.lines) expect(line.costPicos).toBe(line.quantity * byUnit.get(line.unit)!);
        expect(result.costUsdPicos).toBe(expected);
      }),
    );
  });

  it('is additive: two requests cost as much as their tokens together, except for the price per request', () => {
    fc.assert(
      fc.property(rates, tokens, tokens, tokens, tokens, (unitRates, a, b, c, d) => {
        const perRequest = unitRates.find(({ unit }) => unit === 'per_request')?.ratePicos ?? 0n;
        const cost = (inputTokens: number, outputTokens: number) =>
          charge(unitRates, { inputTokens, outputTokens }, ONE).costPicos;
        expect(cost(a, b) + cost(c, d)).toBe(cost(a + c, b + d) + perRequest);
      }),
    );
  });

  it('never exceeds the maximum cost of its bounds', () => {
    fc.assert(
      fc.property(rates, tokens, tokens, tokens, tokens, (unitRates, a, b, c, d) => {
        const bounds = { inputTokens: Math.max(a, b), outputTokens: Math.max(c, d) };
        const { costPicos } = charge(unitRates, { inputTokens: a, outputTokens: c }, ONE);
        expect(costPicos <= worstCasePicos(unitRates, bounds)).toBe(true);
      }),
    );
  });

  it('rounds each line to the nearest pico of a dollar', () => {
    fc.assert(
      fc.property(
        rates,
        tokens,
        tokens,
        fc.bigInt({ min: 1n, max: 2n * ONE }),
        (unitRates, i, o, usdPerUnit) => {
          const result = charge(unitRates, { inputTokens: i, outputTokens: o }, usdPerUnit);
          for (const { costPicos, costUsdPicos } of result.lines) {
            const difference = costUsdPicos * ONE - costPicos * usdPerUnit;
            expect((difference < 0n ? -difference : difference) * 2n <= ONE).toBe(true);
          }
          expect(result.lines.reduce((sum, line) => sum + line.costUsdPicos, 0n)).toBe(result.costUsdPicos);
        },
      ),
    );
  });

  it('charges a known request exactly', () => {
    const unitRates: UnitRate[] = [
      { unit: 'per_million_input_tokens', ratePicos: 37_500n },
      { unit: 'per_million_output_tokens', ratePicos: 150_000n },
    ];
    const { costPicos, lines } = charge(unitRates, { inputTokens: 1_234, outputTokens: 7 }, ONE);
    expect(costPicos).toBe(47_325_000n);
    expect(lines.map(({ unit, quantity }) => [unit, quantity])).toEqual([
      ['per_million_input_tokens', 1_234n],
      ['per_million_output_tokens', 7n],
    ]);
  });

  it('supports every unit', () => {
    for (const unit of PRICE_UNITS) {
      expect(charge([{ unit, ratePicos: 1n }], { inputTokens: 2, outputTokens: 3 }, ONE).costPicos > 0n).toBe(
        true,
      );
    }
  });
});
