import { Module } from '@nestjs/common';
import { ReplicaHeartbeat } from './replica-heartbeat';

/** The list of live processes of the service. */
@Module({ providers: [ReplicaHeartbeat], exports: [ReplicaHeartbeat] })
export class ReplicasModule {}
