import { type PriceUnit, pricesOutput } from './price-unit';

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
    [[IN], false],
    [[REQUEST, IN], false],
  ])('of %j is %s, also for a price of 0', (units, expected) =>
    expect(pricesOutput(units.map((unit) => ({ unit, ratePicos: 0n })))).toBe(expected),
  );
});
