import { Module } from '@nestjs/common';
import { ReplicasModule } from '../replicas/replica-heartbeat';
import { StreamsModule } from '../streams/streams.module';
import { TurnsModule } from '../turns/turns.module';
import { EventPostingService } from './event-posting.service';
import { EventsController } from './events.controller';
import { EventsService } from './events.service';
import { StreamResumptionService } from './stream-resumption.service';

/** The events of a session: posting them, reading them, and the streams of their turns. */
@Module({
  imports: [ReplicasModule, StreamsModule, TurnsModule],
  controllers: [EventsController],
  providers: [EventPostingService, EventsService, StreamResumptionService],
})
export class EventsModule {}
