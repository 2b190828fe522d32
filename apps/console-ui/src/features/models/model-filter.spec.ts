import { Figure } from '../../figures/figure';
import { type Model } from './model-queries';
import { filterModels, modelFilterIn, valuesOf } from './model-filter';

const model = (slug: string, size: string, facts: Partial<Model> = {}) =>
  ({
    slug,
    name: slug,
    description: '',
    family: null,
    parameters: null,
    quantization: null,
    format: null,
    license: null,
    size: Figure.of(size),
    ...facts,
  }) as Model;

const MODELS = [
  model('b-large', '9007199254740993', { family: 'Llama', format: 'gguf' }),
  model('c-largest', '9007199254740994', { family: 'Qwen', format: 'gguf' }),
  model('a-small', '1', { description: 'A small Llama' }),
];
const slugs = (models: Model[]) => models.map(({ slug }) => slug);

describe('the filter of the models', () => {
  it('keeps the order of the list', () => {
    expect(slugs(filterModels(MODELS, {}))).toEqual(['b-large', 'c-largest', 'a-small']);
  });

  it('searches every word in all facts', () => {
    expect(slugs(filterModels(MODELS, { q: ' llama LARGE' }))).toEqual(['b-large']);
    expect(slugs(filterModels(MODELS, { q: 'llama' }))).toEqual(['b-large', 'a-small']);
  });

  it('narrows by facts', () => {
    expect(slugs(filterModels(MODELS, { format: 'gguf', family: 'Qwen' }))).toEqual(['c-largest']);
    expect(valuesOf(MODELS, 'family')).toEqual(['Llama', 'Qwen']);
  });

  it('sorts sizes exactly and leaves the list as it was', () => {
    expect(slugs(filterModels(MODELS, { sort: 'largest' }))).toEqual(['c-largest', 'b-large', 'a-small']);
    expect(slugs(filterModels(MODELS, { sort: 'name' }))).toEqual(['a-small', 'b-large', 'c-largest']);
    expect(slugs(MODELS)).toEqual(['b-large', 'c-largest', 'a-small']);
  });

  it('reads an address and leaves out what it does not know', () => {
    expect(modelFilterIn({ q: 70, family: 'Llama', sort: 'size', page: 3, format: '' })).toEqual({
      q: '70',
      family: 'Llama',
    });
    expect(modelFilterIn({ sort: 'smallest' })).toEqual({ sort: 'smallest' });
  });
});
