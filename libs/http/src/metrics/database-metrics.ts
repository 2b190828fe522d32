import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Optional,
} from '@nestjs/common';
import { CLOCK_LIMIT_MILLIS, Database, readClockDifferenceMillis, ReadDatabase } from '@inference/database';
import { Gauge, Histogram } from 'prom-client';
import { Metrics } from './metrics';
import { addSampledGauges } from './sampled-gauges';

const STATES = ['busy', 'idle'] as const;

/** Measures whether the database answers, and the connection pools of the process. A service without a database has no such metrics. */
@Injectable()
export class DatabaseMetrics {
  private readonly pools = new Map<string, Database>();

  constructor(
    private readonly metrics: Metrics,
    @Optional() database?: Database,
    @Optional() reads?: ReadDatabase,
  ) {
    if (!database) return;
    this.pools.set('primary', database);
    if (reads?.replica) this.pools.set('replica', reads.replica);
    addSampledGauges(metrics.registry, {
      reading: 'database',
      labels: [],
      gauges: [
        { name: 'database_up', help: '1 if the database answers.', value: ({ up }: { up: number }) => up },
      ],
      read: () => database.check().then(() => [{ up: 1 }]),
      whileUnknown: [{ up: 0 }],
      ofWorkers: 'min',
    });
    this.measureConnections();
    this.measureWaits();
  }

  private measureConnections(): void {
    const { pools } = this;
    const registers = [this.metrics.registry];
    new Gauge({
      name: 'database_pool_connections',
      help: 'Open connections of the pool, by whether a statement or transaction uses them.',
      labelNames: ['pool', 'state'],
      registers,
      collect() {
        for (const [pool, { connections }] of pools)
          for (const state of STATES) this.set({ pool, state }, connections[state]);
      },
    });
    for (const [name, help, figure] of [
      ['database_pool_waiting', 'Statements and transactions that wait for a connection.', 'waiting'],
      ['database_pool_limit', 'Most connections of the pool.', 'limit'],
    ] as const)
      new Gauge({
        name,
        help,
        labelNames: ['pool'],
        registers,
        collect() {
          for (const [pool, { connections }] of pools) this.set({ pool }, connections[figure]);
        },
      });
  }

  private measureWaits(): void {
    const waits = new Histogram({
      name: 'database_pool_wait_seconds',
      help: 'How long those have waited that found all connections busy.',
      labelNames: ['pool'],
      buckets: [0.001, 0.01, 0.1, 1, 5],
      registers: [this.metrics.registry],
    });
    for (const [pool, database] of this.pools) {
      waits.zero({ pool });
      database.onWait((seconds) => waits.observe({ pool }, seconds));
    }
  }
}

const INTERVAL_MILLIS = 60_000;

/** Compares the clock of this host with the database's: once a minute for the log, and for each scrape. */
@Injectable()
export class ClockCheck implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(ClockCheck.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(
    { registry }: Metrics,
    @Optional() private readonly database?: Database,
  ) {
    if (!database) return;
    addSampledGauges(registry, {
      reading: 'clock',
      labels: [],
      gauges: [
        {
          name: 'database_clock_difference_seconds',
          help: 'How far the clock of this host is ahead of the database’s; negative if it is behind.',
          value: ({ millis }: { millis: number }) => millis / 1_000,
        },
      ],
      read: async () => [{ millis: await readClockDifferenceMillis(database) }],
    });
  }

  onApplicationBootstrap(): void {
    if (!this.database) return;
    void this.check(this.database);
    this.timer = setInterval(() => void this.check(this.database!), INTERVAL_MILLIS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async check(database: Database): Promise<void> {
    // Without the database there is nothing to compare with; others report that it is away.
    const millis = await readClockDifferenceMillis(database).catch(() => 0);
    if (Math.abs(millis) <= CLOCK_LIMIT_MILLIS) return;
    const seconds = Math.round(Math.abs(millis) / 1_000);
    this.logger.warn(
      `The clock of this host is ${seconds} s ${millis > 0 ? 'ahead of' : 'behind'} the database's. Set it: tokens, codes and links expire too early or too late.`,
    );
  }
}
