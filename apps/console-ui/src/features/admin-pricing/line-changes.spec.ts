import { Figure } from '../../figures/figure';
import { changesBetween, isLargeChange, linesAt, mergeChanges, type PriceLine } from './price-line';

const line = (name: string, price: string): PriceLine => ({
  name,
  unit: 'per_request',
  price: Figure.of(price),
});
const plain = (changes: { name: string; before?: Figure | undefined; after?: Figure | undefined }[]) =>
  changes.map(({ name, before, after }) => [name, before?.toString() ?? null, after?.toString() ?? null]);

it('names what was changed, removed and added', () => {
  const before = [line('kept', '1.50'), line('changed', '2'), line('removed', '3')];
  const after = [line('added', '0.000000000001'), line('changed', '2.5'), line('kept', '1.5')];
  expect(plain(changesBetween(before, after))).toEqual([
    ['changed', '2', '2.5'],
    ['removed', '3', null],
    ['added', null, '0.000000000001'],
  ]);
});

it('does not mix up the units of a model', () => {
  const input: PriceLine = { name: 'm', unit: 'per_million_input_tokens', price: Figure.of('1') };
  const output: PriceLine = { ...input, unit: 'per_million_output_tokens' };
  expect(changesBetween([input], [output])).toHaveLength(2);
});

describe('merging with what somebody else published', () => {
  const base = [line('a', '1'), line('b', '2'), line('c', '3')];
  const mine = changesBetween(base, [line('a', '1.1'), line('b', '2.2')]);

  it('keeps my changes of what the other one left alone', () => {
    const { changes, conflicts } = mergeChanges(mine, [...base, line('d', '4')]);
    expect(plain(changes)).toEqual([
      ['a', '1', '1.1'],
      ['b', '2', '2.2'],
      ['c', '3', null],
    ]);
    expect(conflicts).toEqual([]);
  });

  it('finds the prices that both have changed', () => {
    const { changes, conflicts } = mergeChanges(mine, [line('a', '1.2'), line('b', '2'), line('c', '9')]);
    expect(plain(changes)).toEqual([
      ['a', '1.2', '1.1'],
      ['b', '2', '2.2'],
      ['c', '9', null],
    ]);
    expect(conflicts.map(({ mine: { name }, theirs }) => [name, theirs?.toString()])).toEqual([
      ['a', '1.2'],
      ['c', '9'],
    ]);
  });

  it('drops what the other one has changed likewise', () => {
    const { changes, conflicts } = mergeChanges(mine, [line('a', '1.10'), line('b', '2')]);
    expect(plain(changes)).toEqual([['b', '2', '2.2']]);
    expect(conflicts).toEqual([]);
  });
});

describe('prices with conditions', () => {
  const terms = { service_tier: 'flex', min_input_tokens: Figure.of('200001') } as const;
  const plain = line('m', '1');
  const conditional: PriceLine = { ...plain, terms, price: Figure.of('2') };

  it('are lines of their own, and keep their conditions', () => {
    const changes = changesBetween([plain], [plain, conditional]);
    expect(changes).toMatchObject([{ name: 'm', terms, before: undefined }]);
  });

  it('are compared with the price that they replace, also in the list before', () => {
    const upcoming = (year: number, price: string): PriceLine => ({
      ...plain,
      terms: { effective_from: `${year}-12-01T00:00:00.000Z` },
      price: Figure.of(price),
    });
    const largeOf = (after: PriceLine[], before = [plain, conditional]) =>
      changesBetween(before, after).map((change) => [change.after?.toString(), isLargeChange(change)]);
    expect(largeOf([plain, conditional, upcoming(2041, '2'), upcoming(2040, '1.4')])).toEqual([
      ['2', false],
      ['1.4', false],
    ]);
    expect(largeOf([plain, conditional, upcoming(2040, '100')])).toEqual([['100', true]]);
    expect(largeOf([plain, upcoming(2040, '1.8')], [plain, upcoming(2040, '1.4')])).toEqual([['1.8', true]]);
    expect(largeOf([conditional, upcoming(2040, '2')])).toEqual([
      [undefined, false],
      ['2', true],
    ]);
  });

  it('replace the former price when they have become effective', () => {
    const at = '2026-12-01T00:00:00.000Z';
    const next: PriceLine = { ...plain, terms: { effective_from: at }, price: Figure.of('3') };
    const nextConditional: PriceLine = { ...conditional, terms: { ...terms, effective_from: at } };
    const lines = [plain, next, conditional, nextConditional];
    expect(linesAt(lines, new Date(Date.parse(at) - 1))).toEqual(lines);
    expect(linesAt(lines, new Date(at)).map(({ price, terms: held }) => [price.toString(), held])).toEqual([
      ['3', undefined],
      ['2', terms],
    ]);
  });
});
