import { conditionFields, isPeriodReversed, NO_CONDITIONS } from './conditions';

it('sends nothing without conditions', () => {
  expect(conditionFields(NO_CONDITIONS)).toEqual({});
});

it('sends days as the times at which they begin and end where the person is', () => {
  const days = { ...NO_CONDITIONS, from: '2026-02-28', to: '2026-02-28' };
  expect(conditionFields(days)).toEqual({
    created_from: new Date(2026, 1, 28).toISOString(),
    created_to: new Date(2026, 2, 1).toISOString(),
  });
  expect(Object.keys(conditionFields({ ...days, time: 'updated', from: '' }))).toEqual(['updated_to']);
});

it.each([
  ['sales', 'sales'],
  ['2025', 2025],
  ['"2025"', '2025'],
  ['true', true],
  ['null', null],
  ['[1]', '[1]'],
  ['', ''],
])('takes the value %s as %j', (typed, value) => {
  expect(conditionFields({ ...NO_CONDITIONS, name: ' team ', value: ` ${typed} ` })).toEqual({
    metadata: { team: value },
  });
});

it('notices a period that ends before it begins', () => {
  expect(isPeriodReversed({ ...NO_CONDITIONS, from: '2026-03-02', to: '2026-03-01' })).toBe(true);
  expect(isPeriodReversed({ ...NO_CONDITIONS, from: '2026-03-01', to: '2026-03-01' })).toBe(false);
  expect(isPeriodReversed({ ...NO_CONDITIONS, to: '2026-03-01' })).toBe(false);
});
