import { Module } from '@nestjs/common';
import { ReplicasModule } from '../replicas/replicas.module';
import { TurnsModule } from '../turns/turns.module';
import { TurnRecoveryJob } from './turn-recovery.job';

/** Recovers turns after crashes and lost notifications. */
@Module({
  imports: [ReplicasModule, TurnsModule],
  providers: [TurnRecoveryJob],
  exports: [TurnRecoveryJob],
})
export class RecoveryModule {}
