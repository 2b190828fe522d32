import { env } from '@inference/config';
import { type z } from 'zod';

export const API_KEYS_CONFIG = Symbol('API_KEYS_CONFIG');

export const apiKeyFields = {
  /**
   * Secret of the keyed hash under which API keys are stored. The same value in all services; changing it invalidates
   * every key.
   */
  API_KEY_HASH_SECRET: env.secret(),
};

type Fields = z.output<z.ZodObject<typeof apiKeyFields>>;

export interface ApiKeysConfig {
  hashSecret: string;
}

export function apiKeysOf({ API_KEY_HASH_SECRET }: Fields): ApiKeysConfig {
  return { hashSecret: API_KEY_HASH_SECRET };
}
