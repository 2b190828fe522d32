import { env } from '@inference/config';
import { type z } from 'zod';

export const STREAMS_CONFIG = Symbol('STREAMS_CONFIG');

const HOUR_MILLIS = 3_600_000;

export const streamFields = {
  /** Seconds after which a client that takes nothing of its stream is disconnected. It can resume the stream. */
  CLIENT_STALL_TIMEOUT_SECONDS: env.number(0.05, 3600).default(60),
  /** Seconds without an event after which a stream sends a comment, so that proxies keep the connection open. */
  HEARTBEAT_SECONDS: env.number(0.05, 60).default(15),
  /** Hours for which the stream of a finished turn can be resumed. */
  FRAME_RETENTION_HOURS: env.number(0.1, 8760).default(24),
};

export interface StreamsConfig {
  clientStallMillis: number;
  heartbeatMillis: number;
  /** How long the stream events of a finished turn are kept. */
  retentionMillis: number;
}

export function streamsConfigOf(fields: z.output<z.ZodObject<typeof streamFields>>): StreamsConfig {
  return {
    clientStallMillis: fields.CLIENT_STALL_TIMEOUT_SECONDS * 1000,
    heartbeatMillis: fields.HEARTBEAT_SECONDS * 1000,
    retentionMillis: fields.FRAME_RETENTION_HOURS * HOUR_MILLIS,
  };
}
