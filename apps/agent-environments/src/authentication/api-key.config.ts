import { env } from '@inference/config';

export const apiKeyFields = {
  /** Key that every call must send as Bearer; without it the routes are open (spec: Authentication, rule 14). */
  API_KEY: env
    .secret()
    .regex(/^[!-~]+$/, 'must have no spaces and no characters beyond ASCII')
    .optional(),
};

export interface ApiKeyConfig {
  /** Undefined: the routes are open. */
  apiKey: string | undefined;
}

export const API_KEY_CONFIG = Symbol('API_KEY_CONFIG');

export const apiKeyOf = (config: { API_KEY?: string | undefined }): ApiKeyConfig => ({
  apiKey: config.API_KEY,
});
