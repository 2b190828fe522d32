import { env } from '@inference/config';
import { z } from 'zod';

export const MODELS_CONFIG = Symbol('MODELS_CONFIG');

/** Context of a model without an entry in MODEL_LIMITS. */
const DEFAULT_CONTEXT_TOKENS = 32_768;
/** Largest part of the context that is reserved for the answer unless MODEL_LIMITS says otherwise. */
const MAX_DEFAULT_OUTPUT_TOKENS = 4_096;

const modelLimits = z
  .object({
    /** Size of the model's context, prompt and answer together. */
    context_tokens: z.int().positive().default(DEFAULT_CONTEXT_TOKENS),
    /** Part of the context that is reserved for the answer. Default: a quarter of it, at most 4096. */
    max_output_tokens: z.int().positive().optional(),
  })
  .transform(({ context_tokens: context, max_output_tokens: output }) => ({
    context_tokens: context,
    max_output_tokens: output ?? Math.min(MAX_DEFAULT_OUTPUT_TOKENS, Math.ceil(context / 4)),
  }))
  .refine(
    ({ context_tokens: context, max_output_tokens: output }) => output < context,
    `max_output_tokens must be less than context_tokens (${DEFAULT_CONTEXT_TOKENS} unless told)`,
  );

export type ModelLimits = z.output<typeof modelLimits>;

const slug = z.string().min(1).max(200);

export const modelFields = {
  /** Root URL of the gateway that serves the models. */
  GATEWAY_URL: env.httpUrl(),
  /** Secret with which this service calls the gateway on behalf of accounts. It is one of the gateway's `AGENT_CREDENTIALS`. */
  GATEWAY_CREDENTIAL: env.serviceSecret(),
  /** Slug of the model for sessions that name none. */
  DEFAULT_MODEL: slug,
  /**
   * JSON object of token limits by model slug: `{"slug": {"context_tokens": 32768, "max_output_tokens": 4096}}`. `*` applies to
   * every model that is not named. The gateway takes the same value.
   */
  MODEL_LIMITS: env.json(z.record(slug, modelLimits)).default({}),
  /** Seconds that a model may send nothing, at the beginning and in the middle, before its turn fails. */
  MODEL_SILENCE_TIMEOUT_SECONDS: env.number(0.05, 3600).default(330),
};

export interface ModelsConfig {
  gatewayUrl: string;
  gatewayCredential: string;
  /** Slug of the model for sessions that name none. */
  defaultModel: string;
  /** By model slug; `*` applies to every model that is not named. */
  limits: Record<string, ModelLimits>;
  silenceTimeoutMillis: number;
}

export function modelsConfigOf(fields: z.output<z.ZodObject<typeof modelFields>>): ModelsConfig {
  return {
    gatewayUrl: fields.GATEWAY_URL,
    gatewayCredential: fields.GATEWAY_CREDENTIAL,
    defaultModel: fields.DEFAULT_MODEL,
    limits: fields.MODEL_LIMITS,
    silenceTimeoutMillis: fields.MODEL_SILENCE_TIMEOUT_SECONDS * 1000,
  };
}

/** Returns the limits of a model, in tokens. */
export function limitsOf({ limits }: ModelsConfig, model: string): ModelLimits {
  return (Object.hasOwn(limits, model) ? limits[model] : limits['*']) ?? modelLimits.parse({});
}
