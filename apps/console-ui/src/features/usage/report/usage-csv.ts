import { type UsageRow } from '../usage-queries';
import { type Dimension } from '../usage-search';

type Column = [name: string, valueOf: (row: UsageRow) => string];

/** The columns of the service's own CSV. */
const COLUMNS: Record<Dimension, Column[]> = {
  model: [['model', ({ model }) => model ?? '']],
  api_key: [
    ['api_key_id', ({ api_key: key }) => key?.id ?? ''],
    ['api_key_name', ({ api_key: key }) => key?.name ?? ''],
  ],
  entrypoint: [['entrypoint', ({ entrypoint }) => entrypoint ?? '']],
};

const field = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The rows of the page with all their digits, as the service writes them with `Accept: text/csv`. */
export function usageCsv(rows: UsageRow[], dimension: Dimension): string {
  const columns: Column[] = [
    ['timestamp', ({ timestamp }) => timestamp],
    ...COLUMNS[dimension],
    ['quantity', ({ quantity }) => quantity.toString()],
    ['unit', ({ unit }) => unit],
    ['cost', ({ cost }) => cost.toString()],
    ['currency', ({ currency }) => currency],
  ];
  const lines = rows.map((row) => columns.map(([, valueOf]) => valueOf(row)));
  return [columns.map(([name]) => name), ...lines].map((line) => `${line.map(field).join(',')}\r\n`).join('');
}
