import { env } from '@inference/config';
import { type z } from 'zod';

export const UPLOADS_CONFIG = Symbol('UPLOADS_CONFIG');

export const uploadsFields = {
  /** Largest file in bytes that is accepted. */
  MAX_DOCUMENT_BYTES: env.integer(1, 1_073_741_824).default(104_857_600),
};

/** Limits of one upload. */
export interface UploadsConfig {
  maxDocumentBytes: number;
  /** A sender that sends nothing for this long is disconnected. */
  clientStallTimeoutMs: number;
  /** Most bytes of uploads that the process holds at once, besides other bodies; the default of BodyMemory if undefined. */
  memoryBytes: number | undefined;
}

type UploadsFields = z.output<z.ZodObject<typeof uploadsFields>> & {
  CLIENT_STALL_TIMEOUT_SECONDS: number;
  BODY_MEMORY_BYTES?: number | undefined;
};

export const uploadsConfig = (config: UploadsFields): UploadsConfig => ({
  maxDocumentBytes: config.MAX_DOCUMENT_BYTES,
  clientStallTimeoutMs: config.CLIENT_STALL_TIMEOUT_SECONDS * 1000,
  memoryBytes: config.BODY_MEMORY_BYTES,
});
