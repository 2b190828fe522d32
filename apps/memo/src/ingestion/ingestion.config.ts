import { env } from '@inference/config';
import { type z } from 'zod';

export const INGESTION_CONFIG = Symbol('INGESTION_CONFIG');

export const ingestionFields = {
  /**
   * Number of processes that this one starts to read documents, each one document or batch at a time; 0 if other hosts read
   * them.
   */
  INGESTION_WORKERS: env.integer(0, 64).default(2),
};

/** Background processing of documents. */
export interface IngestionConfig {
  /** Processes that the service starts. */
  workers: number;
  /** Database of the job queue. */
  databaseUrl: string;
}

type IngestionFields = z.output<z.ZodObject<typeof ingestionFields>> & { DATABASE_URL: string };

export const ingestionConfig = (config: IngestionFields): IngestionConfig => ({
  workers: config.INGESTION_WORKERS,
  databaseUrl: config.DATABASE_URL,
});
