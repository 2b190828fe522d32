import { Gauge, type Registry } from 'prom-client';

/** Chosen: several Prometheus servers that scrape every 15 s cause hardly more reads than one. Twice would delay alerts for nothing. */
const MAX_AGE_MILLIS = 3_000;
/** As long as the health probe waits. Prometheus itself gives up a scrape after 10 s. */
const TIMEOUT_MILLIS = 2_000;

export interface SampledGauges<Row> {
  /** Fields of a row that are labels. */
  labels: (keyof Row & string)[];
  gauges: { name: string; help: string; value: (row: Row) => number }[];
  /** Reads all rows, one for each combination of labels. */
  read: () => Promise<Row[]>;
  /** What is served while they cannot be read. Without it the gauges are left out. */
  whileUnknown?: Row[];
  /** Which figure of several workers is served. */
  ofWorkers?: 'max' | 'min';
}

/**
 * Adds gauges of figures that the process does not have in memory. Scrapes share a reading for a few seconds. While it fails or
 * takes too long, the scrape goes on without it. The figures are those of the whole site, so those of workers are not added up.
 */
export function addSampledGauges<Row extends object>(
  registry: Registry,
  { labels, gauges, read, whileUnknown = [], ofWorkers = 'max' }: SampledGauges<Row>,
): void {
  const sample = new Sample(read);
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

const labelsOf = <Row extends object>(row: Row, labels: (keyof Row & string)[]) =>
  Object.fromEntries(labels.map((label) => [label, String(row[label])])) as Record<
    keyof Row & string,
    string
  >;

/** The last result of a reading. */
class Sample<T> {
  private value: T | undefined;
  private readAtMillis = -Infinity;
  private reading: Promise<void> | undefined;

  constructor(private readonly read: () => Promise<T>) {}

  /** Undefined while it cannot be read. */
  async current(): Promise<T | undefined> {
    // Not more than one reading at a time, even if it hangs.
    if (!this.isFresh) this.reading ??= this.refresh().finally(() => (this.reading = undefined));
    if (this.reading) await atMost(TIMEOUT_MILLIS, this.reading);
    return this.isFresh ? this.value : undefined;
  }

  private get isFresh(): boolean {
    return performance.now() - this.readAtMillis < MAX_AGE_MILLIS;
  }

  private async refresh(): Promise<void> {
    const value = await this.read().catch(() => undefined);
    this.value = value;
    this.readAtMillis = performance.now();
  }
}

/** Resolves when the work has ended or its time is over. */
async function atMost(millis: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise<void>((resolve) => (timer = setTimeout(resolve, millis)))]);
  clearTimeout(timer);
}
