import { Figure } from '../../../figures/figure';
import { usageCsv } from './usage-csv';

it('writes every digit, and quotes where it is necessary', () => {
  const row = {
    timestamp: '2026-03-08T00:00:00.000Z',
    api_key: { id: 'key_1', name: 'a, "b"', prefix: 'bfvk-1' },
    quantity: Figure.of('0.000016'),
    unit: 'per_million_tokens',
    cost: Figure.of('1234567.123456789012'),
    currency: 'USD',
  } as const;
  expect(usageCsv([row], 'api_key')).toBe(
    'timestamp,api_key_id,api_key_name,quantity,unit,cost,currency\r\n' +
      '2026-03-08T00:00:00.000Z,key_1,"a, ""b""",0.000016,per_million_tokens,1234567.123456789012,USD\r\n',
  );
  expect(usageCsv([{ ...row, api_key: null }], 'api_key')).toContain('Z,,,0.000016');
});
