import { env } from '@inference/config';

export const apiKeyFields = {
  /** Keys of which every call must send one as Bearer; without one the routes are open (spec: Authentication, rule 14). */
  API_KEY: env
    .secrets(
      env.secret().regex(/^[!-+\--~]+$/, 'must have no commas, no spaces and no characters beyond ASCII'),
    )
    .optional(),
};

export interface ApiKeyConfig {
  /** Undefined: the routes are open. */
  apiKeys: string[] | undefined;
}

export const API_KEY_CONFIG = Symbol('API_KEY_CONFIG');

export const apiKeyOf = (config: { API_KEY?: string[] | undefined }): ApiKeyConfig => ({
  apiKeys: config.API_KEY,
});
