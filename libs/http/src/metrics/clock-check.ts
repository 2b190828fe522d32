import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Optional,
} from '@nestjs/common';
import { CLOCK_LIMIT_MILLIS, Database, readClockDifferenceMillis } from '@inference/database';
import { Metrics } from './metrics';
import { addSampledGauges } from './sampled-gauges';

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
