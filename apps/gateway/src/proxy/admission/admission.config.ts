import { env } from '@inference/config';
import { z } from 'zod';
import { type ModelLimits } from '../request/token-bounds';

const slug = z.string().min(1).max(200);

const modelLimits = z.object({
  /** Context window in tokens: bounds the prompt of a request whose size does not (pictures, audio). */
  context_tokens: z.int().positive().optional(),
  /** Limit in tokens that a chat request without `max_tokens` gets. */
  max_output_tokens: z.int().positive().optional(),
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
      { contextTokens: limits.context_tokens, maxOutputTokens: limits.max_output_tokens },
    ]),
  ),
});
