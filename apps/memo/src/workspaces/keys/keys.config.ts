import { type KeyHashSecrets } from '@inference/guards';

export const KEYS_CONFIG = Symbol('KEYS_CONFIG');

/** How workspace keys are stored. */
export type KeysConfig = KeyHashSecrets;

export const keysConfig = (config: KeyHashSecrets): KeysConfig => ({
  API_KEY_HASH_SECRET: config.API_KEY_HASH_SECRET,
  API_KEY_HASH_OTHER_SECRET: config.API_KEY_HASH_OTHER_SECRET,
});
