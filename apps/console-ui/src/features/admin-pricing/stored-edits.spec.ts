import { Figure } from '../../figures/figure';
import { type DraftLine, isEdited, keyOfLine, type PriceLine, rebased, withEdits } from './price-line';
import { changesOf, editsText, parseEdits } from './use-price-draft';

const line = (name: string, price: string): PriceLine => ({
  name,
  unit: 'per_request',
  price: Figure.of(price),
});
const edit = (name: string, before: string | undefined, text: string, isRemoved = false): DraftLine => ({
  name,
  unit: 'per_request',
  before: before === undefined ? undefined : Figure.of(before),
  text,
  isRemoved,
});
const shown = (lines: DraftLine[]) =>
  lines.map(({ name, before, text, isRemoved }) => [name, before?.toString() ?? null, text, isRemoved]);

const EDITS = [
  edit('a', '1', '1.000000000001'),
  edit('b', '2', 'no price'),
  edit('c', '3', '3', true),
  edit('d', undefined, '4'),
];

it('keeps the conditions of a price', () => {
  const terms = {
    min_input_tokens: Figure.of('200001'),
    service_tier: 'flex',
    hours: '16:30-00:30',
  } as const;
  const edited: DraftLine = {
    ...edit('a', '1', '2'),
    terms: { ...terms, effective_from: '2027-01-01T00:00:00.000Z' },
  };
  const [restored] = parseEdits(editsText({ version: '7', lines: [edited] }))!.lines;
  expect(keyOfLine(restored!)).toBe(keyOfLine(edited));
  expect(restored!.terms!.min_input_tokens!.toString()).toBe('200001');
});

it('keeps every edit exactly, also a text that is no price', () => {
  const restored = parseEdits(editsText({ version: '7', lines: EDITS }))!;
  expect(restored.version).toBe('7');
  const list = [line('a', '1'), line('b', '2'), line('c', '3'), line('e', '5')];
  const lines = withEdits(list, restored.lines);
  expect(shown(lines)).toEqual([
    ['a', '1', '1.000000000001', false],
    ['b', '2', 'no price', false],
    ['c', '3', '3', true],
    ['e', '5', '5', false],
    ['d', null, '4', false],
  ]);
  expect(shown(lines.filter(isEdited))).toEqual(shown(EDITS));
});

it('has no edits in a list as it was published', () => {
  expect(withEdits([line('a', '1')], []).filter(isEdited)).toEqual([]);
});

it('bases edits of an older list on the newer one and names what both have changed', () => {
  const theirs = [line('a', '1.5'), line('b', '2'), line('c', '3'), line('d', '4')];
  const { lines, conflicts } = rebased(changesOf(EDITS), theirs);
  expect(shown(lines)).toEqual([
    ['a', '1.5', '1.000000000001', false],
    ['b', '2', '2', false],
    ['c', '3', '3', true],
    ['d', '4', '4', false],
  ]);
  expect([...conflicts]).toEqual(['per_request a']);
});

it.each([
  null,
  '',
  '{',
  '7',
  'null',
  '{"version":7,"lines":[]}',
  '{"version":"7","lines":[]}',
  '{"version":"7","lines":[7,null,{"name":"a","unit":"per_moon","text":"1"}]}',
])('restores nothing from %j', (text) => {
  expect(parseEdits(text)).toBeUndefined();
});
