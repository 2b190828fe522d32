import { env } from '@inference/config';
import { type z } from 'zod';

export const WORKSPACE_LIMITS = Symbol('WORKSPACE_LIMITS');

export const documentsFields = {
  /** Most documents in one workspace. */
  MAX_WORKSPACE_DOCUMENTS: env.integer(1, 100_000_000).default(100_000),
  /** Most bytes in one workspace: the uploaded sizes of the newest version of each document; extracted text, index and older versions are not counted. */
  MAX_WORKSPACE_BYTES: env.integer(1, 1_125_899_906_842_624).default(10_737_418_240),
};

/** How much one workspace may hold. */
export interface WorkspaceLimits {
  maxDocuments: number;
  /** Uploaded sizes of the newest version of each document. */
  maxBytes: number;
}

type DocumentsFields = z.output<z.ZodObject<typeof documentsFields>>;

export const workspaceLimits = (config: DocumentsFields): WorkspaceLimits => ({
  maxDocuments: config.MAX_WORKSPACE_DOCUMENTS,
  maxBytes: config.MAX_WORKSPACE_BYTES,
});
