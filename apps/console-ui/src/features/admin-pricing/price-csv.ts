import { Figure } from '../../figures/figure';
import { type PriceTerms, SERVICE_TIERS } from '../pricing/pricing-queries';
import { isLineUnit, keyOfLine, type LineUnit, parsePrice, type PriceLine } from './price-line';
import { type PriceKind } from './price-list-queries';

const COLUMNS = [
  'slug',
  'unit',
  'price',
  'min_input_tokens',
  'service_tier',
  'hours',
  'effective_from',
] as const;
/** As the service writes them for GPUs and upstreams, and as people name them. */
const ALIASES: Record<string, string> = { name: 'slug', model: 'slug', hourly_price: 'price' };

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The lines of a list in the columns that `linesFromCsv` reads. */
export const csvOfLines = (lines: readonly PriceLine[]): string =>
  [
    [...COLUMNS],
    ...lines.map(({ name, unit, price, terms }) => [
      name,
      unit,
      price.toString(),
      terms?.min_input_tokens?.toString() ?? '',
      terms?.service_tier ?? '',
      terms?.hours ?? '',
      terms?.effective_from ?? '',
    ]),
  ]
    .map((row) => `${row.map(quoted).join(',')}\r\n`)
    .join('');

/** A field with its separator: quoted, or plain up to the next comma or end of the line. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;

/** The rows of a CSV text (RFC 4180); undefined if it is none. */
function rowsOf(text: string): string[][] | undefined {
  const rows: string[][] = [];
  let row: string[] = [];
  FIELD.lastIndex = 0;
  while (FIELD.lastIndex < text.length) {
    const [, quotedText, plain = '', end] = FIELD.exec(text) ?? [];
    if (end === undefined) return undefined;
    row.push(quotedText?.replaceAll('""', '"') ?? plain);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return row.length > 0 ? [...rows, [...row, '']] : rows;
}

/** What a file of prices holds: its lines, or the numbers of the rows that are none or repeat another one; 1 is the header. */
export type CsvPrices = { lines: PriceLine[]; faults?: undefined } | { lines?: undefined; faults: number[] };

/** Reads the columns of `csvOfLines`, in any order, of which `slug` and `price` are required; others are ignored. */
export function linesFromCsv(text: string, kind: PriceKind): CsvPrices {
  const [header, ...rows] = rowsOf(text.replace(/^\uFEFF/, '')) ?? [];
  const names = header?.map((name) => ALIASES[name.trim()] ?? name.trim()) ?? [];
  if (!names.includes('slug') || !names.includes('price')) return { faults: [1] };
  const lines: PriceLine[] = [];
  const faults: number[] = [];
  const keys = new Set<string>();
  for (const [index, row] of rows.entries()) {
    if (row.every((field) => field.trim() === '')) continue;
    const line = lineOf(new Map(names.map((name, column) => [name, row[column]?.trim() ?? ''])), kind);
    if (!line || keys.has(keyOfLine(line))) {
      faults.push(index + 2);
      continue;
    }
    keys.add(keyOfLine(line));
    lines.push(line);
  }
  return faults.length > 0 ? { faults } : { lines };
}

function lineOf(fields: Map<string, string>, kind: PriceKind): PriceLine | undefined {
  const name = fields.get('slug') ?? '';
  const unit: unknown = kind === 'gpus' ? 'hour' : fields.get('unit');
  if (name === '' || !isLineUnit(unit) || !isOf(unit, kind)) return undefined;
  const price = parsePrice(fields.get('price') ?? '', unit);
  const terms = termsOf(fields);
  return price && terms && { name, unit, price, ...(Object.keys(terms).length > 0 && { terms }) };
}

const isOf = (unit: LineUnit, kind: PriceKind): boolean =>
  kind === 'gpus' ? unit === 'hour' : unit.startsWith('per_');

/** A date and time of RFC 3339: what spreadsheets make of one may be read in more than one way. */
const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function isInstant(text: string): boolean {
  const [, year, month, day] = INSTANT.exec(text) ?? [];
  // JavaScript takes 30 February for 2 March.
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return !Number.isNaN(Date.parse(text)) && Number(day) <= days;
}

/** Undefined if a condition is none. The service checks the rest. */
function termsOf(fields: Map<string, string>): PriceTerms | undefined {
  const [tokens, tier, hours, from] = [
    fields.get('min_input_tokens'),
    fields.get('service_tier'),
    fields.get('hours'),
    fields.get('effective_from'),
  ];
  const knownTier = SERVICE_TIERS.find((one) => one === tier);
  if ((tier && !knownTier) || (tokens && !/^[1-9]\d{0,8}$/.test(tokens))) return undefined;
  if (from && !isInstant(from)) return undefined;
  return {
    ...(tokens && { min_input_tokens: Figure.of(tokens) }),
    ...(knownTier && { service_tier: knownTier }),
    ...(hours && { hours }),
    ...(from && { effective_from: new Date(from).toISOString() }),
  };
}
