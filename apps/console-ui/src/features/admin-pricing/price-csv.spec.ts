import { Figure } from '../../figures/figure';
import { csvOfLines, linesFromCsv } from './price-csv';
import { changedByPercent, isLargeChange, type PriceLine } from './price-line';

const LINES: PriceLine[] = [
  { name: 'a "quoted", model', unit: 'per_million_tokens', price: Figure.of('0.25') },
  {
    name: 'tiered',
    unit: 'per_request',
    price: Figure.of('0.000000000001'),
    terms: {
      min_input_tokens: Figure.of('200000'),
      service_tier: 'flex',
      hours: '16:30-00:30',
      effective_from: '2030-01-01T00:00:00.000Z',
    },
  },
];

const textsOf = (lines: readonly PriceLine[] | undefined) => lines && csvOfLines(lines);

it('reads what it writes', () => {
  const text = csvOfLines(LINES);
  expect(textsOf(linesFromCsv(text, 'models').lines)).toBe(text);
  expect(text.split('\r\n')[1]).toBe('"a ""quoted"", model",per_million_tokens,0.25,,,,');
});

it('reads other orders, line ends and names of the columns, and skips empty lines', () => {
  const text = '\uFEFFhourly_price, name ,currency\n2.5,"NVIDIA, H100",USD\n\n3,B,USD';
  const { lines } = linesFromCsv(text, 'gpus');
  expect(lines?.map(({ name, unit, price }) => [name, unit, price.toString()])).toEqual([
    ['NVIDIA, H100', 'hour', '2.5'],
    ['B', 'hour', '3'],
  ]);
});

it.each([
  ['', [1]],
  ['unit,price\r\n', [1]],
  ['slug,unit,price\r\na,per_request,1\r\nb,per_moon,1\r\nc,per_request,-1\r\n,per_request,1\r\n', [3, 4, 5]],
  ['slug,unit,price\r\na,hour,1\r\n', [2]],
  ['slug,unit,price\r\na,per_request\r\n', [2]],
  ['slug,unit,price,service_tier\r\na,per_request,1,fast\r\n', [2]],
  ['slug,unit,price,min_input_tokens\r\na,per_request,1,0\r\n', [2]],
  ...['tomorrow', '12/1/2026 0:00', '2026-12-01', '2026-12-01T00:00:00', '2026-02-30T00:00:00Z'].map(
    (from): [string, number[]] => [`slug,unit,price,effective_from\r\na,per_request,1,${from}\r\n`, [2]],
  ),
  [
    'slug,unit,price,effective_from\r\na,per_request,1,\r\nb,per_request,1,\r\na,per_image,2,\r\na,per_request,2,\r\n',
    [5],
  ],
  [
    'slug,unit,price,effective_from\r\na,per_request,1,2030-01-01T08:00:00+08:00\r\na,per_request,2,2030-01-01T00:00:00Z\r\n',
    [3],
  ],
])('names the rows of %j that are no prices', (text, faults) => {
  expect(linesFromCsv(text, 'models')).toEqual({ faults });
});

it.each([
  ['1', '10', 'per_request', '1.1'],
  ['0.25', '-50', 'per_million_tokens', '0.125'],
  ['0.000001', '40', 'per_million_tokens', '0.000001'],
  ['0.000001', '60', 'per_million_tokens', '0.000002'],
  ['3', '-100', 'per_request', '0'],
  ['900000', '100', 'per_request', undefined],
  ['3', '-101', 'per_request', undefined],
] as const)('changes %s by %s percent, to the decimals of %s', (price, percent, unit, after) => {
  expect(changedByPercent(Figure.of(price), Figure.of(percent), unit)?.toString()).toBe(after);
});

it.each([
  ['1', '1.49', false],
  ['1', '1.5', true],
  ['1', '0.51', false],
  ['1', '0.5', true],
  ['1', '0', true],
  ['0', '5', false],
  [undefined, '5', false],
  ['5', undefined, false],
])('calls a change from %s to %s large: %s', (before, after, isLarge) => {
  const figure = (text: string | undefined) => (text === undefined ? undefined : Figure.of(text));
  expect(isLargeChange({ before: figure(before), after: figure(after) })).toBe(isLarge);
});
