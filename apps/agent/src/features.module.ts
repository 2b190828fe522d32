import { GatewayClient } from '@inference/model-calls';
import { Module } from '@nestjs/common';
import { EventPostingService } from './events/event-posting.service';
import { EventsController } from './events/events.controller';
import { EventsService } from './events/events.service';
import { StreamResumptionService } from './events/stream-resumption.service';
import { MODELS_CONFIG, type ModelsConfig } from './models/models.config';
import { TurnRecoveryJob } from './recovery/turn-recovery.job';
import { ReplicaHeartbeat } from './replicas/replica-heartbeat';
import { SessionsController } from './sessions/sessions.controller';
import { SessionsService } from './sessions/sessions.service';
import { DeltaWriter } from './streams/delta-writer';
import { StreamEventCleanupJob } from './streams/stream-event-cleanup.job';
import { StreamHub } from './streams/stream-hub';
import { TurnQueue } from './turns/turn-queue';
import { TurnRunner } from './turns/turn-runner';

/** Calls models through the gateway. */
@Module({
  providers: [
    {
      provide: GatewayClient,
      inject: [MODELS_CONFIG],
      useFactory: (config: ModelsConfig) =>
        new GatewayClient({
          url: config.gatewayUrl,
          credential: config.gatewayCredential,
          silenceMillis: config.silenceTimeoutMillis,
        }),
    },
  ],
  exports: [GatewayClient],
})
class ModelsModule {}

/** The list of live processes of the service. */
@Module({ providers: [ReplicaHeartbeat], exports: [ReplicaHeartbeat] })
export class ReplicasModule {}

/** Stores what turns send to their clients, and delivers it. */
@Module({
  providers: [DeltaWriter, StreamEventCleanupJob, StreamHub],
  exports: [DeltaWriter, StreamHub],
})
export class StreamsModule {}

/** Turns of the model: from a message to its answer, with the tool calls between. */
@Module({
  imports: [ModelsModule, ReplicasModule, StreamsModule],
  providers: [TurnQueue, TurnRunner],
  exports: [TurnQueue, TurnRunner],
})
export class TurnsModule {}

/** Recovers turns after crashes and lost notifications. */
@Module({
  imports: [ReplicasModule, TurnsModule],
  providers: [TurnRecoveryJob],
  exports: [TurnRecoveryJob],
})
export class RecoveryModule {}

/** The events of a session: posting them, reading them, and the streams of their turns. */
@Module({
  imports: [ReplicasModule, StreamsModule, TurnsModule],
  controllers: [EventsController],
  providers: [EventPostingService, EventsService, StreamResumptionService],
})
export class EventsModule {}

/** Conversations with a model. */
@Module({ controllers: [SessionsController], providers: [SessionsService] })
export class SessionsModule {}
