import { Database, firstIdAt } from '@inference/database';
import { BackgroundJobs, EVERY_MINUTE } from '@inference/jobs';
import { Inject, Injectable } from '@nestjs/common';
import { deleteExpiredStreamEvents } from './stream-events.repository';
import { STREAMS_CONFIG, type StreamsConfig } from './streams.config';

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
    const firstId = firstIdAt('turn', before);
    while ((await deleteExpiredStreamEvents(this.database, firstId, new Date(before))) > 0);
  }
}
