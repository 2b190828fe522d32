import { Inject, Injectable } from '@nestjs/common';
import { Database, firstIdAt } from '@inference/database';
import { BackgroundJobs, EVERY_MINUTE } from '@inference/jobs';
import { STREAMS_CONFIG, type StreamsConfig } from './streams.config';

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
export class StreamEventCleanupJob {
  constructor(
    private readonly database: Database,
    @Inject(STREAMS_CONFIG) private readonly config: StreamsConfig,
    jobs: BackgroundJobs,
  ) {
    jobs.schedule('delete-old-stream-events', EVERY_MINUTE, () => this.deleteExpired());
  }

  async deleteExpired(): Promise<void> {
    const before = Date.now() - this.config.retentionMillis;
    const values = [firstIdAt('turn', before), new Date(before)];
    while ((await this.database.query(DELETE_EXPIRED, values)).rowCount);
  }
}
