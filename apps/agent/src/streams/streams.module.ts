import { Module } from '@nestjs/common';
import { DeltaWriter } from './delta-writer';
import { StreamEventCleanupJob } from './stream-event-cleanup.job';
import { StreamHub } from './stream-hub';

/** Stores what turns send to their clients, and delivers it. */
@Module({
  providers: [DeltaWriter, StreamEventCleanupJob, StreamHub],
  exports: [DeltaWriter, StreamHub],
})
export class StreamsModule {}
