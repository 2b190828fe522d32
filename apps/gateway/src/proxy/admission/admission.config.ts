import { env } from '@inference/config';
import { z } from 'zod';
import { type ModelLimits, OUTPUT_LIMIT_FIELDS } from '../request/token-bounds';

const slug = z.string().min(1).max(200);

const modelLimits = z.object({
  /** Context window in tokens: the most of a prompt and its answer together. */
  context_tokens: z.int().positive().optional(),
  /** The longest answer that the model gives, in tokens. */
  max_output_tokens: z.int().positive().optional(),
  /** Where the model takes the limit of a chat answer. */
  output_limit_field: z.enum(OUTPUT_LIMIT_FIELDS).optional(),
});

export const admissionFields = {
  /** JSON object of token limits by model slug; `*` is for every model that is not named. */
  MODEL_LIMITS: env.json(z.record(slug, modelLimits)).optional(),
};

export interface AdmissionConfig {
  /** By model slug; `*` is for every model that is not named. */
  modelLimits: Record<string, ModelLimits>;
}

export const ADMISSION_CONFIG = Symbol('ADMISSION_CONFIG');

export const admissionOf = (config: {
  MODEL_LIMITS?: z.output<typeof admissionFields.MODEL_LIMITS>;
}): AdmissionConfig => ({
  modelLimits: Object.fromEntries(
    Object.entries(config.MODEL_LIMITS ?? {}).map(([model, limits]) => [
      model,
      {
        contextTokens: limits.context_tokens,
        maxOutputTokens: limits.max_output_tokens,
        outputLimitField: limits.output_limit_field,
      },
    ]),
  ),
});
