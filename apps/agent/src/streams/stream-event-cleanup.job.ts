import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { firstIdAt, SQL_POOL, type SqlPool } from '@inference/database';
import { STREAMS_CONFIG, type StreamsConfig } from './streams.config';

const INTERVAL_MILLIS = 60_000;
/** Bounds how long one statement takes. */
const BATCH_TURNS = 100;

/** Ids are ordered by time: the index leads directly to the turns that began before the limit. */
const DELETE_EXPIRED = `
  DELETE FROM agent.stream_events WHERE turn_id IN (
    SELECT DISTINCT f.turn_id FROM agent.stream_events f LEFT JOIN agent.turns t ON t.id = f.turn_id
    WHERE f.turn_id < $1 AND (t.id IS NULL OR t.ended_at < $2)
    LIMIT ${BATCH_TURNS}
  )`;

/** Deletes the stream events of turns that ended before the retention time. The session's events are kept. */
@Injectable()
export class StreamEventCleanupJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(StreamEventCleanupJob.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(STREAMS_CONFIG) private readonly config: StreamsConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.deleteExpired().catch((error: Error) =>
        this.logger.warn(`Expired stream events could not be deleted: ${error.message}`),
      );
    }, INTERVAL_MILLIS);
  }

  async deleteExpired(): Promise<void> {
    const before = Date.now() - this.config.retentionMillis;
    const values = [firstIdAt('turn', before), new Date(before)];
    while ((await this.pool.query(DELETE_EXPIRED, values)).rowCount);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }
}
