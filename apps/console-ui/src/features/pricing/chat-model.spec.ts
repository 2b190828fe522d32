import { Figure } from '../../figures/figure';
import { chatModelIn, type ModelPrice } from './pricing-queries';

const model = (slug: string, prices: ModelPrice['prices']): ModelPrice => ({
  slug,
  currency: 'USD',
  prices,
  rows: [],
});
const ONE = Figure.of('1');

describe('the model of the first call', () => {
  it('is one that answers', () => {
    const models = [
      model('embed', { per_million_input_tokens: ONE }),
      model('chat', { per_million_input_tokens: ONE, per_million_output_tokens: ONE }),
    ];
    expect(chatModelIn(models)).toBe('chat');
  });

  it('is a placeholder without any', () => {
    expect(chatModelIn([])).toBe('MODEL');
  });
});
