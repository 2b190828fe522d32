import { env } from '@inference/config';
import { type z } from 'zod';

export const API_KEYS_CONFIG = Symbol('API_KEYS_CONFIG');

export const apiKeyFields = env.keyHash;

type Fields = z.output<z.ZodObject<typeof apiKeyFields>>;

export interface ApiKeysConfig {
  hashSecret: string;
}

export function apiKeysOf({ API_KEY_HASH_SECRET }: Fields): ApiKeysConfig {
  return { hashSecret: API_KEY_HASH_SECRET };
}
