import { env } from '@inference/config';
import { z } from 'zod';

export const VECTORS_CONFIG = Symbol('VECTORS_CONFIG');

export const vectorsFields = {
  /** Slug of the embedding model that adds vector search to keyword search; without it only keywords are searched. */
  EMBEDDING_MODEL: z.string().min(1).max(200).optional(),
  /** Lowest cosine similarity to the query at which vector search returns a passage; suitable values depend on the model. */
  EMBEDDING_LEAST_COSINE: env.number(0, 1).default(0.4),
};

/** Vector search. */
export interface VectorsConfig {
  /** Undefined: vector search is off. */
  embeddingModel: string | undefined;
  minCosine: number;
}

type VectorsFields = z.output<z.ZodObject<typeof vectorsFields>>;

export const vectorsConfig = (config: VectorsFields): VectorsConfig => ({
  embeddingModel: config.EMBEDDING_MODEL,
  minCosine: config.EMBEDDING_LEAST_COSINE,
});
