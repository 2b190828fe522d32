import { env } from '@inference/config';
import { type z } from 'zod';

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
