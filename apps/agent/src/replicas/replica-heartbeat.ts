import { env } from '@inference/config';
import { Database, newId } from '@inference/database';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { type z } from 'zod';
import { BACKGROUND_DATABASE } from '../background-database.module';
import { deleteDeadReplicas, deleteReplica, renewReplica } from './replicas.repository';

export const REPLICAS_CONFIG = Symbol('REPLICAS_CONFIG');

export const replicaFields = {
  /** Seconds without a heartbeat after which other processes treat this one as dead and end its turns as failed. */
  REPLICA_TTL_SECONDS: env.number(1, 20).default(12),
};

export interface ReplicasConfig {
  ttlSeconds: number;
}

export function replicasConfigOf(fields: z.output<z.ZodObject<typeof replicaFields>>): ReplicasConfig {
  return { ttlSeconds: fields.REPLICA_TTL_SECONDS };
}

/** Runs work at an interval, never twice at a time: a run that takes long delays the next one. */
export class RepeatingTask {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  /** @param work must not reject */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly intervalMillis: number,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.runUnlessRunning(), this.intervalMillis);
  }

  /** Resolves when the current run has ended. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private runUnlessRunning(): void {
    this.running ??= this.work().finally(() => (this.running = undefined));
  }
}

/** A replica is declared dead after so many missed heartbeats. */
const HEARTBEATS_PER_TTL = 4;

/** Keeps this process on the list of live replicas. */
@Injectable()
export class ReplicaHeartbeat implements OnApplicationBootstrap {
  /** Identifies this process among the replicas; each start has a new one. */
  readonly replicaId = newId('rep');
  /** Heartbeats are due at this interval. */
  readonly intervalMillis: number;
  private readonly logger = new Logger(ReplicaHeartbeat.name);
  private readonly task: RepeatingTask;
  /** When the current sequence of successful heartbeats began; null while the database is unavailable. */
  private aliveSince: number | null = null;

  constructor(
    @Inject(BACKGROUND_DATABASE) private readonly database: Database,
    @Inject(REPLICAS_CONFIG) private readonly config: ReplicasConfig,
  ) {
    this.intervalMillis = (config.ttlSeconds * 1000) / HEARTBEATS_PER_TTL;
    this.task = new RepeatingTask(() => this.renew(), this.intervalMillis);
  }

  /** The replica is on the list before the service listens, if the database is available. */
  async onApplicationBootstrap(): Promise<void> {
    await this.renew();
    this.task.start();
  }

  /**
   * Whether every live replica is on the list. After an outage of the database all entries have expired, so the list counts as
   * complete only after the time that every replica needs to send a heartbeat.
   */
  get isListComplete(): boolean {
    return this.aliveSince !== null && performance.now() - this.aliveSince >= this.config.ttlSeconds * 1000;
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  /** Takes the replica off the list. */
  async leave(): Promise<void> {
    await deleteReplica(this.database, this.replicaId).catch(() => undefined);
  }

  /** Deletes the entries of replicas that died long ago. */
  async deleteDead(): Promise<void> {
    await deleteDeadReplicas(this.database);
  }

  private async renew(): Promise<void> {
    try {
      await renewReplica(this.database, this.replicaId, this.config.ttlSeconds);
      this.aliveSince ??= performance.now();
    } catch (error) {
      this.aliveSince = null;
      this.logger.warn(`The heartbeat of this replica could not be stored: ${(error as Error).message}`);
    }
  }
}
