import { setTimeout as sleep } from 'node:timers/promises';
import { env } from '@inference/config';
import { type BeforeApplicationShutdown, Inject, Injectable, Module } from '@nestjs/common';
import { type z } from 'zod';
import { RecoveryModule, ReplicasModule, StreamsModule, TurnsModule } from '../features.module';
import { TurnRecoveryJob } from '../recovery/turn-recovery.job';
import { ReplicaHeartbeat } from '../replicas/replica-heartbeat';
import { StreamHub } from '../streams/stream-hub';
import { TurnQueue } from '../turns/turn-queue';
import { TurnRunner } from '../turns/turn-runner';

export const SHUTDOWN_CONFIG = Symbol('SHUTDOWN_CONFIG');

export const shutdownFields = {
  /** Seconds that a process that is stopped gives its running turns to finish. */
  SHUTDOWN_GRACE_SECONDS: env.number(0, 3600).default(25),
};

export interface ShutdownConfig {
  graceMillis: number;
}

export function shutdownConfigOf(fields: z.output<z.ZodObject<typeof shutdownFields>>): ShutdownConfig {
  return { graceMillis: fields.SHUTDOWN_GRACE_SECONDS * 1000 };
}

const POLL_MILLIS = 20;
/** Limit for recording how the turns ended, and for leaving the list of replicas, together. Chosen: long enough for a busy database. */
const DATABASE_LIMIT_MILLIS = 3_000;
/** Limit for clients to receive the last event of a turn that has ended. */
const LAST_EVENT_LIMIT_MILLIS = 1_000;

/**
 * Stops a process in this order: it takes no more turns and ends the streams of turns that run in other replicas; turns that
 * run here get the grace time to finish, with their clients, and then fail. Clients resume at another replica.
 */
@Injectable()
class GracefulShutdown implements BeforeApplicationShutdown {
  constructor(
    @Inject(SHUTDOWN_CONFIG) private readonly config: ShutdownConfig,
    private readonly queue: TurnQueue,
    private readonly hub: StreamHub,
    private readonly runner: TurnRunner,
    private readonly recovery: TurnRecoveryJob,
    private readonly heartbeat: ReplicaHeartbeat,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    const graceEnd = performance.now() + this.config.graceMillis;
    this.hub.beginShutdown();
    const queueStopped = this.queue.stop();
    while (!this.runner.isIdle && performance.now() < graceEnd) await sleep(POLL_MILLIS);
    // If the database does not answer, other replicas end the turns of this process.
    const databaseLimit = sleep(DATABASE_LIMIT_MILLIS, undefined, { ref: false });
    await Promise.race([Promise.all([queueStopped, this.runner.interruptAll()]), databaseLimit]);
    this.runner.abandonAll();
    const lastEventEnd = performance.now() + LAST_EVENT_LIMIT_MILLIS;
    while (this.hub.hasSubscribers && performance.now() < lastEventEnd) await sleep(POLL_MILLIS);
    this.hub.endAll();
    setTimeout(() => this.hub.disconnectAll(), LAST_EVENT_LIMIT_MILLIS).unref();
    await Promise.race([this.leave(), databaseLimit]);
  }

  private async leave(): Promise<void> {
    await Promise.all([this.recovery.stop(), this.heartbeat.stop()]);
    await this.heartbeat.leave();
  }
}

/** The order in which a process stops. */
@Module({
  imports: [RecoveryModule, ReplicasModule, StreamsModule, TurnsModule],
  providers: [GracefulShutdown],
})
export class ShutdownModule {}
