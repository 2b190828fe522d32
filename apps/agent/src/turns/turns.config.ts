import { env } from '@inference/config';
import { type z } from 'zod';

export const TURNS_CONFIG = Symbol('TURNS_CONFIG');

export const turnFields = {
  /** Most turns that one process runs at a time. Queued turns wait for a free place; further streams are answered with 503. */
  MAX_RUNNING_TURNS: env.integer(1, 100_000).default(5_000),
};

export interface TurnsConfig {
  maxRunningTurns: number;
  /** For the connections of the job queue. */
  databaseUrl: string;
}

export function turnsConfigOf(
  fields: z.output<z.ZodObject<typeof turnFields>> & { DATABASE_URL: string },
): TurnsConfig {
  return { maxRunningTurns: fields.MAX_RUNNING_TURNS, databaseUrl: fields.DATABASE_URL };
}
