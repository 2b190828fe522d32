import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module';
import { ReplicasModule } from '../replicas/replica-heartbeat';
import { StreamsModule } from '../streams/streams.module';
import { TurnQueue } from './turn-queue';
import { TurnRunner } from './turn-runner';

/** Turns of the model: from a message to its answer, with the tool calls between. */
@Module({
  imports: [ModelsModule, ReplicasModule, StreamsModule],
  providers: [TurnQueue, TurnRunner],
  exports: [TurnQueue, TurnRunner],
})
export class TurnsModule {}
