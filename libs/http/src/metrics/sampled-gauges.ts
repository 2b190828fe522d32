import { Logger } from '@nestjs/common';
import { type Database, type Executor } from '@inference/database';
import { Gauge, type Registry } from 'prom-client';

/** Chosen: several Prometheus servers that scrape every 15 s cause hardly more reads than one. Twice would delay alerts for nothing. */
const MAX_AGE_MILLIS = 3_000;
/** As long as the health probe waits. Prometheus itself gives up a scrape after 10 s. */
const TIMEOUT_MILLIS = 2_000;
/** Chosen: a database that is away for an hour costs 60 lines. */
const LOG_INTERVAL_MILLIS = 60_000;

interface GaugesOfRows<Row> {
  /** Label of `metrics_reading_up`, which is 1 if the last reading has succeeded, otherwise 0. */
  reading: string;
  /** Fields of a row that are labels. */
  labels: (keyof Row & string)[];
  gauges: { name: string; help: string; value: (row: Row) => number }[];
  /** What is served while they cannot be read. Without it the gauges are left out. */
  whileUnknown?: Row[];
  /** Which figure of several workers is served. */
  ofWorkers?: 'max' | 'min';
}

interface SampledGauges<Row> extends GaugesOfRows<Row> {
  /** Reads all rows, one for each combination of labels. */
  read: () => Promise<Row[]>;
}

interface DatabaseGauges<Row> extends GaugesOfRows<Row> {
  read: (executor: Executor) => Promise<Row[]>;
}

/**
 * Adds gauges of figures that the process does not have in memory. Scrapes share a reading for a few seconds. While it fails or
 * takes too long, the scrape goes on without it; failures are logged, at most one in a minute. The figures are those of the whole site, so those of workers are not added up.
 */
export function addSampledGauges<Row extends object>(
  registry: Registry,
  { reading, labels, gauges, read, whileUnknown = [], ofWorkers = 'max' }: SampledGauges<Row>,
): void {
  const sample = new Sample(reading, read);
  samplesOf(registry).push(sample);
  for (const { name, help, value } of gauges)
    new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      aggregator: ofWorkers,
      async collect() {
        const rows = (await sample.current()) ?? whileUnknown;
        this.reset();
        // A gauge without labels is reset to 0.
        if (labels.length === 0) this.remove();
        for (const row of rows) this.set(labelsOf(row, labels), value(row));
      },
    });
}

/** Adds gauges whose rows one statement of this database reads. It is cancelled when the scrape no longer waits for it. */
export function addDatabaseGauges<Row extends object>(
  registry: Registry,
  database: Database,
  { read, ...gauges }: DatabaseGauges<Row>,
): void {
  addSampledGauges(registry, { ...gauges, read: () => database.readWithin(TIMEOUT_MILLIS, read) });
}

const samplesByRegistry = new WeakMap<Registry, Sample<unknown>[]>();

/** The samples of all gauges of the registry. The first call adds the gauge that says which of them could be read. */
function samplesOf(registry: Registry): Sample<unknown>[] {
  const known = samplesByRegistry.get(registry);
  if (known) return known;
  const samples: Sample<unknown>[] = [];
  samplesByRegistry.set(registry, samples);
  new Gauge({
    name: 'metrics_reading_up',
    help: '1 if the figures of this reading could be read for the scrape.',
    labelNames: ['reading'],
    registers: [registry],
    aggregator: 'min',
    async collect() {
      const values = await Promise.all(samples.map((sample) => sample.current()));
      for (const [index, { reading }] of samples.entries())
        this.set({ reading }, values[index] === undefined ? 0 : 1);
    },
  });
  return samples;
}

const labelsOf = <Row extends object>(row: Row, labels: (keyof Row & string)[]) =>
  Object.fromEntries(labels.map((label) => [label, String(row[label])])) as Record<
    keyof Row & string,
    string
  >;

/** The last result of a reading. */
class Sample<T> {
  private readonly logger = new Logger('Metrics');
  private loggedAtMillis = -Infinity;
  private value: T | undefined;
  private readAtMillis = -Infinity;
  private refreshing: Promise<void> | undefined;

  constructor(
    readonly reading: string,
    private readonly read: () => Promise<T>,
  ) {}

  /** Undefined while it cannot be read. */
  async current(): Promise<T | undefined> {
    // Not more than one reading at a time, even if it hangs.
    if (!this.isFresh) this.refreshing ??= this.refresh().finally(() => (this.refreshing = undefined));
    if (this.refreshing) await atMost(TIMEOUT_MILLIS, this.refreshing);
    return this.isFresh ? this.value : undefined;
  }

  private get isFresh(): boolean {
    return performance.now() - this.readAtMillis < MAX_AGE_MILLIS;
  }

  private async refresh(): Promise<void> {
    const value = await this.read().catch((error: Error) => this.log(error));
    this.value = value ?? undefined;
    this.readAtMillis = performance.now();
  }

  private log({ message }: Error): void {
    if (performance.now() - this.loggedAtMillis < LOG_INTERVAL_MILLIS) return;
    this.loggedAtMillis = performance.now();
    this.logger.warn(`The reading ${this.reading} has failed: ${message}`);
  }
}

/** Resolves when the work has ended or its time is over. */
async function atMost(millis: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise<void>((resolve) => (timer = setTimeout(resolve, millis)))]);
  clearTimeout(timer);
}
