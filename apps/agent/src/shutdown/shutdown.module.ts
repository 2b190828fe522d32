import { Module } from '@nestjs/common';
import { RecoveryModule } from '../recovery/recovery.module';
import { ReplicasModule } from '../replicas/replicas.module';
import { StreamsModule } from '../streams/streams.module';
import { TurnsModule } from '../turns/turns.module';
import { GracefulShutdown } from './graceful-shutdown';

/** The order in which a process stops. */
@Module({
  imports: [RecoveryModule, ReplicasModule, StreamsModule, TurnsModule],
  providers: [GracefulShutdown],
})
export class ShutdownModule {}
