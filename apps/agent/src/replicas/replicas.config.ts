import { env } from '@inference/config';
import { type z } from 'zod';

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
