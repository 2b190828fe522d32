import { csvLine } from '@inference/http';
import { type UsageDimension } from './usage.repository';
import { type UsageRowResponse } from './usage.dto';

type Column = [name: string, valueOf: (row: UsageRowResponse) => string];

const COLUMNS: Record<UsageDimension, Column[]> = {
  model: [['model', ({ model }) => model ?? '']],
  api_key: [
    ['api_key_id', ({ api_key: key }) => key?.id ?? ''],
    ['api_key_name', ({ api_key: key }) => key?.name ?? ''],
  ],
  entrypoint: [['entrypoint', ({ entrypoint }) => entrypoint ?? '']],
};

/** Renders the rows as CSV: a header, then one line per row, with the texts of the JSON. */
export function usageCsv(dimensions: readonly UsageDimension[], rows: readonly UsageRowResponse[]): string {
  const columns: Column[] = [
    ['timestamp', ({ timestamp }) => timestamp],
    ...dimensions.flatMap((dimension) => COLUMNS[dimension]),
    ['quantity', ({ quantity }) => quantity.toString()],
    ['unit', ({ unit }) => unit],
    ['cost', ({ cost }) => cost.toString()],
    ['currency', ({ currency }) => currency],
  ];
  const lines = rows.map((row) => columns.map(([, valueOf]) => valueOf(row)));
  return [columns.map(([name]) => name), ...lines].map(csvLine).join('');
}
