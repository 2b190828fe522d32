export const KEYS_CONFIG = Symbol('KEYS_CONFIG');

/** How workspace keys are stored. */
export interface KeysConfig {
  /** Secret of the keyed hash under which a key is stored. */
  hashSecret: string;
}

export const keysConfig = (config: { API_KEY_HASH_SECRET: string }): KeysConfig => ({
  hashSecret: config.API_KEY_HASH_SECRET,
});
