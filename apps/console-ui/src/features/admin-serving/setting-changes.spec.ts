import { Figure } from '../../figures/figure';
import { changedModels, changedSettings, editedFields } from './setting-changes';

const entry = (model: string, weight: string) => ({ model, weight: Figure.of(weight) });

describe('what a form sends', () => {
  it('is what was edited, so that the other fields stay as somebody else stores them', () => {
    const opened = { region: 'eu', limit: Figure.of('4'), aliases: ['a'], models: [entry('m', '100')] };
    expect(editedFields(opened, { ...opened, limit: Figure.of('4.0'), models: [entry('m', '100')] })).toEqual(
      {},
    );
    const fields = { region: null, aliases: ['a', 'b'], models: [entry('m', '90')] };
    expect(editedFields<Record<string, unknown>>(opened, { ...opened, ...fields })).toEqual(fields);
  });
});

describe('what a review shows', () => {
  it('is each setting that becomes another one', () => {
    const stored = { state: 'active', region: null as string | null, limit: Figure.of('4') };
    const after = { state: 'off', region: 'eu', limit: Figure.of('4') };
    expect(changedSettings(['state', 'region', 'limit'], stored, after)).toEqual([
      { name: 'state', before: 'active', after: 'off' },
      { name: 'region', before: null, after: 'eu' },
    ]);
    expect(changedSettings(['state', 'region'], undefined, { ...after, region: null })).toEqual([
      { name: 'state', before: undefined, after: 'off' },
    ]);
  });

  it('is each model that is added, removed or weighted otherwise', () => {
    const before = [entry('kept', '100'), entry('changed', '90'), entry('removed', '1')];
    const after = [entry('added', '5'), entry('changed', '10'), entry('kept', '100.0')];
    expect(changedModels(before, after)).toEqual([
      { model: 'added', before: undefined, after: after[0] },
      { model: 'changed', before: before[1], after: after[1] },
      { model: 'removed', before: before[2], after: undefined },
    ]);
  });
});
