import { env } from '@inference/config';
import { type z } from 'zod';

export const EXTRACTION_CONFIG = Symbol('READER_CONFIG');

export const extractionFields = {
  /** Longest text in characters (UTF-16 code units) that a document may contain; a longer one fails with `too_long`. */
  MAX_DOCUMENT_CHARACTERS: env.integer(1, 1_073_741_824).default(67_108_864),
  /** Memory in MiB that the extraction of one document may take; a document that needs more fails with `too_complex`. */
  INGESTION_MEMORY_MEGABYTES: env.integer(64, 65_536).default(512),
  /** Time in seconds that extracting the text of one document may take; a slower one fails with `too_complex`. */
  EXTRACTION_TIMEOUT_SECONDS: env.number(0.05, 86_400).default(300),
};

/** Limits of the extraction of one document. */
export interface ExtractionConfig {
  /** UTF-16 code units. */
  maxDocumentCharacters: number;
  maxMemoryMebibytes: number;
  timeoutSeconds: number;
}

type ExtractionFields = z.output<z.ZodObject<typeof extractionFields>>;

export const extractionConfig = (config: ExtractionFields): ExtractionConfig => ({
  maxDocumentCharacters: config.MAX_DOCUMENT_CHARACTERS,
  maxMemoryMebibytes: config.INGESTION_MEMORY_MEGABYTES,
  timeoutSeconds: config.EXTRACTION_TIMEOUT_SECONDS,
});
