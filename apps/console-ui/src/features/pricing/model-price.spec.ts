import { Figure } from '../../figures/figure';
import { costOf, groupByModel, type UnitPrice } from './pricing-queries';

const row = (slug: string, unit: UnitPrice['unit'], price: string): UnitPrice => ({
  slug,
  unit,
  price: Figure.of(price),
  currency: 'USD',
});

const consumption = { inputTokens: Figure.of('7'), outputTokens: Figure.of('3'), requests: Figure.of('2') };

describe('the cost of a consumption', () => {
  it('is exact for prices of input, output and requests', () => {
    const [model] = groupByModel([
      row('a', 'per_million_input_tokens', '0.01'),
      row('a', 'per_million_output_tokens', '0.03'),
      row('a', 'per_request', '0.000001'),
    ]);
    expect(costOf(model!, consumption).toString()).toBe('0.00000216');
  });

  it('counts both kinds of tokens for one price', () => {
    const [, model] = groupByModel([row('a', 'per_request', '1'), row('b', 'per_million_tokens', '2.5')]);
    expect(costOf(model!, consumption).toString()).toBe('0.000025');
  });
});
