import { Module } from '@nestjs/common';
import { DeltaWriter } from './delta-writer';
import { StreamEventCleanupJob } from './stream-event-cleanup.job';
import { StreamEventStore } from './stream-event-store';
import { StreamHub } from './stream-hub';

/** Stores what turns send to their clients, and delivers it. */
@Module({
  providers: [DeltaWriter, StreamEventCleanupJob, StreamEventStore, StreamHub],
  exports: [DeltaWriter, StreamEventStore, StreamHub],
})
export class StreamsModule {}
