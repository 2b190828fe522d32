import { env } from '@inference/config';
import { z } from 'zod';

export const MODELS_CONFIG = Symbol('MODELS_CONFIG');

const slug = z.string().min(1).max(200);

export const modelFields = {
  /** Root URL of the gateway that serves the models. */
  GATEWAY_URL: env.httpUrl(),
  /** Secret with which this service calls the gateway on behalf of accounts. It is one of the gateway's `AGENT_CREDENTIALS`. */
  GATEWAY_CREDENTIAL: env.serviceSecret(),
  /** Slug of the model for sessions that name none. */
  DEFAULT_MODEL: slug,
  /** Seconds that a model may send nothing, at the beginning and in the middle, before its turn fails. */
  MODEL_SILENCE_TIMEOUT_SECONDS: env.number(0.05, 3600).default(330),
};

export interface ModelsConfig {
  gatewayUrl: string;
  gatewayCredential: string;
  /** Slug of the model for sessions that name none. */
  defaultModel: string;
  silenceTimeoutMillis: number;
}

export function modelsConfigOf(fields: z.output<z.ZodObject<typeof modelFields>>): ModelsConfig {
  return {
    gatewayUrl: fields.GATEWAY_URL,
    gatewayCredential: fields.GATEWAY_CREDENTIAL,
    defaultModel: fields.DEFAULT_MODEL,
    silenceTimeoutMillis: fields.MODEL_SILENCE_TIMEOUT_SECONDS * 1000,
  };
}
