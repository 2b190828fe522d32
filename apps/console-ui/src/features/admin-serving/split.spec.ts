import { Figure } from '../../figures/figure';
import { namedModels, splitOf } from './split';

const entry = (model: string, weight: number, priority = 0) => ({
  model,
  weight: Figure.of(BigInt(weight)),
  priority: Figure.of(BigInt(priority)),
});
const upstream = (name: string, models: ReturnType<typeof entry>[], state = 'active') => ({
  name,
  state,
  models,
});
const shown = (model: string, upstreams: ReturnType<typeof upstream>[]) =>
  Object.fromEntries(splitOf(model, upstreams).map(({ name, permille }) => [name, permille.toString()]));

describe('the split of calls', () => {
  it('follows the weights of the lowest priority', () => {
    const upstreams = [
      upstream('a', [entry('m', 90)]),
      upstream('b', [entry('*', 10)]),
      upstream('c', [entry('m', 100, 1)]),
    ];
    expect(shown('m', upstreams)).toEqual({ a: '900', b: '100' });
    expect(shown('other', upstreams)).toEqual({ b: '1000' });
    expect(namedModels(upstreams)).toEqual(['*', 'm']);
  });

  it('leaves out who gets no calls', () => {
    const upstreams = [
      upstream('drained', [entry('m', 100)], 'draining'),
      upstream('paused', [entry('m', 0)]),
      upstream('spare', [entry('m', 1, 5)]),
    ];
    expect(shown('m', upstreams)).toEqual({ spare: '1000' });
    expect(shown('m', [])).toEqual({});
  });
});
