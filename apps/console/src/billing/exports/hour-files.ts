import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { createGzip, type Gzip } from 'node:zlib';
import { type Database } from '@inference/database';
import { exactCsvLine } from '@inference/http';
import { type ObjectStorage } from '@inference/storage';
import {
  cellOf,
  type Column,
  type Dataset,
  type DatasetName,
  DATASETS,
  type HourBounds,
  readHourBooks,
  type Row,
  SCHEMA_VERSION,
} from './export-rows.repository';
import { type ExportedSums } from './exported-hours.repository';

const HOUR_MILLIS = 3_600_000;
const FORMAT = 'usage-and-ledger';
const DATE_CHARS = 'yyyy-mm-dd'.length;
const HOUR_END = 'yyyy-mm-ddThh'.length;
const NUMBER_DIGITS = 5;

interface StoredFile {
  /** Key in the storage. */
  name: string;
  rows: number;
  bytes: number;
  sha256: string;
}

interface ExportedDataset {
  columns: { name: string; type: string }[];
  rows: number;
  /** Exact decimals. */
  sums: Record<string, string>;
  files: StoredFile[];
}

/** The file that makes an hour complete. It follows from the exported rows alone, so whoever writes it writes the same. */
export interface ExportManifest {
  format: typeof FORMAT;
  schema_version: number;
  /** Of the hour; the names of its files tell it from 2 on. */
  version: number;
  from: string;
  /** Exclusive. */
  to: string;
  currency: string;
  datasets: Record<DatasetName, ExportedDataset>;
}

/** The size of the files of each set, in bytes, by the text of a manifest. */
export function bytesOfSets(manifest: string): Record<DatasetName, number> {
  const { datasets } = JSON.parse(manifest) as ExportManifest;
  const bytesOf = (name: DatasetName) => datasets[name].files.reduce((sum, file) => sum + file.bytes, 0);
  return { usage: bytesOf('usage'), usage_lines: bytesOf('usage_lines'), ledger: bytesOf('ledger') };
}

/** The rows of an hour are not what rollup and ledger have added up. */
class ExportDifferenceError extends Error {}

function placeOf(hour: Date): string {
  const text = hour.toISOString();
  return `date=${text.slice(0, DATE_CHARS)}/hour=${text.slice(DATE_CHARS + 1, HOUR_END)}`;
}

export const manifestKey = (hour: Date): string => `manifests/${placeOf(hour)}.json`;

/** Compresses rows into a file in memory. */
class PartFile {
  rows = 0;
  private readonly gzip: Gzip = createGzip();
  private readonly content = Promise.resolve(this.gzip.toArray()).then((chunks) =>
    Buffer.concat(chunks as Buffer[]),
  );

  constructor(columns: readonly Column[]) {
    this.gzip.write(exactCsvLine(columns.map(({ name }) => name)));
  }

  async add(lines: string[]): Promise<void> {
    this.rows += lines.length;
    if (!this.gzip.write(lines.join(''))) await once(this.gzip, 'drain');
  }

  end(): Promise<Buffer> {
    this.gzip.end();
    return this.content;
  }
}

export interface WriteHourOptions {
  storage: ObjectStorage;
  currency: string;
  hour: Date;
  version: number;
  /** The text of the manifest that was recorded last. */
  manifest: string | null;
  /** Called before each page and each file. If it throws, the work ends. */
  onProgress: () => Promise<void>;
  /** Of one file, which is in memory while it is stored. */
  fileRows: number;
}

/**
 * Writes the files of an hour that cannot change any more, and its manifest last. May be repeated, and done by two processes at
 * once: names and contents are the same, and what is there already stays. Throws an ExportDifferenceError and writes no manifest if the rows are
 * not those that rollup and ledger have added up.
 */
export async function writeHour(database: Database, options: WriteHourOptions): Promise<ExportedSums> {
  const { storage, hour, version, currency } = options;
  const bounds = { from: hour, to: new Date(hour.getTime() + HOUR_MILLIS) };
  const writer = new HourWriter(database, options, bounds);
  const [usage, lines, ledger] = [
    await writer.write(DATASETS.usage),
    await writer.write(DATASETS.usage_lines),
    await writer.write(DATASETS.ledger),
  ];
  refuseDifferences(await readHourBooks(database, bounds), { usage, lines, ledger });
  const manifest: ExportManifest = {
    format: FORMAT,
    schema_version: SCHEMA_VERSION,
    version,
    from: bounds.from.toISOString(),
    to: bounds.to.toISOString(),
    currency,
    datasets: { usage: usage.exported, usage_lines: lines.exported, ledger: ledger.exported },
  };
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await options.onProgress();
  await store(storage, manifestKey(hour), Buffer.from(text));
  await removeEarlierFiles(storage, options.manifest, manifest);
  return {
    manifest: text,
    usageRows: BigInt(usage.exported.rows),
    usageLineRows: BigInt(lines.exported.rows),
    ledgerRows: BigInt(ledger.exported.rows),
    bytes: filesOf(manifest).reduce((sum, file) => sum + BigInt(file.bytes), 0n),
    costPicos: usage.sums.cost!,
    ledgerPicos: ledger.sums.amount!,
  };
}

interface WrittenDataset {
  exported: ExportedDataset;
  /** Amounts in picos. */
  sums: Record<string, bigint>;
}

class HourWriter {
  constructor(
    private readonly database: Database,
    private readonly options: WriteHourOptions,
    private readonly bounds: HourBounds,
  ) {}

  async write({ name, columns, sums: summed, pages }: Dataset): Promise<WrittenDataset> {
    const { currency, onProgress, fileRows } = this.options;
    const sums = Object.fromEntries(summed.map((sum) => [sum.name, 0n]));
    const files: StoredFile[] = [];
    let part: PartFile | undefined;
    for await (const rows of pages(this.database, this.bounds)) {
      await onProgress();
      for (const sum of summed) sums[sum.name]! += total(rows, sum.column, sum.of);
      for (let at = 0; at < rows.length;) {
        part ??= new PartFile(columns);
        const some = rows.slice(at, at + fileRows - part.rows);
        await part.add(
          some.map((row) =>
            exactCsvLine(columns.map((column) => cellOf(column, row[column.name], currency))),
          ),
        );
        at += some.length;
        if (part.rows < fileRows) continue;
        files.push(await this.store(name, files.length + 1, part));
        part = undefined;
      }
    }
    if (part) files.push(await this.store(name, files.length + 1, part));
    return {
      sums,
      exported: {
        columns: columns.map(({ name, type }) => ({ name, type })),
        rows: files.reduce((rows, file) => rows + file.rows, 0),
        sums: Object.fromEntries(
          summed.map((sum) => {
            const column = columns.find(({ name }) => name === sum.column)!;
            return [sum.name, cellOf(column, String(sums[sum.name]), currency)];
          }),
        ),
        files,
      },
    };
  }

  private async store(dataset: DatasetName, number: number, part: PartFile): Promise<StoredFile> {
    const { storage, hour, version, onProgress } = this.options;
    const ofVersion = version === 1 ? '' : `.v${version}`;
    const name = `${dataset}/${placeOf(hour)}/part-${String(number).padStart(NUMBER_DIGITS, '0')}${ofVersion}.csv.gz`;
    const content = await part.end();
    await onProgress();
    await store(storage, name, content);
    return { name, rows: part.rows, bytes: content.length, sha256: sha256Of(content) };
  }
}

function total(rows: Row[], column: string, isCounted: (row: Row) => boolean = () => true): bigint {
  return rows.reduce((sum, row) => sum + (isCounted(row) ? BigInt(row[column] ?? 0) : 0n), 0n);
}

function refuseDifferences(
  books: Awaited<ReturnType<typeof readHourBooks>>,
  { usage, lines, ledger }: Record<'usage' | 'lines' | 'ledger', WrittenDataset>,
): void {
  const { tokens, costPicos, costUsdPicos, debitedPicos } = books;
  const compared: [name: string, exported: bigint, ofBooks: bigint][] = [
    ['tokens of usage', usage.sums.input_tokens! + usage.sums.output_tokens!, tokens],
    ['cost of usage', usage.sums.cost!, costPicos],
    ['cost of usage in USD', usage.sums.cost_usd!, costUsdPicos],
    ['tokens of usage lines', lines.sums.tokens!, tokens],
    ['cost of usage lines', lines.sums.cost!, costPicos],
    ['cost of usage lines in USD', lines.sums.cost_usd!, costUsdPicos],
    ['debits of usage', -ledger.sums.usage_amount!, debitedPicos],
    ['debits of usage and its cost', -ledger.sums.usage_amount!, costPicos],
  ];
  const faults = compared
    .filter(([, exported, ofBooks]) => exported !== ofBooks)
    .map(([name, exported, ofBooks]) => `${name}: ${exported} exported, ${ofBooks} in the books`);
  if (faults.length > 0)
    throw new ExportDifferenceError(`The hour differs from the books. ${faults.join('; ')}`);
}

const filesOf = ({ datasets }: ExportManifest) => Object.values(datasets).flatMap(({ files }) => files);
const sha256Of = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** Leaves a file alone that has this content already: a process that has lost its claim may still be at work. */
async function store(storage: ObjectStorage, key: string, content: Buffer): Promise<void> {
  if ((await storage.sizeOf(key)) === content.length) {
    const hash = createHash('sha256');
    for await (const chunk of await storage.read(key)) hash.update(chunk as Buffer);
    if (hash.digest('hex') === sha256Of(content)) return;
  }
  // Also what an interrupted write has left.
  await storage.remove(key);
  await storage.write(key, Readable.from([content], { objectMode: false }), content.length);
}

async function removeEarlierFiles(
  storage: ObjectStorage,
  earlier: string | null,
  manifest: ExportManifest,
): Promise<void> {
  if (earlier === null) return;
  const kept = new Set(filesOf(manifest).map(({ name }) => name));
  for (const { name } of filesOf(JSON.parse(earlier) as ExportManifest))
    if (!kept.has(name)) await storage.remove(name);
}
