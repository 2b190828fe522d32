import { z } from 'zod';

export const SEALED_TOKENS_CONFIG = Symbol('SEALED_TOKENS_CONFIG');

export const sealedTokenFields = {
  /**
   * Comma-separated keys of 64 hexadecimal digits. They encrypt stored secrets that must be read again, such as those
   * of authenticators. The first one encrypts; all decrypt.
   */
  ENCRYPTION_KEYS: z
    .string()
    .transform((text) => text.split(',').map((key) => key.trim().toLowerCase()))
    .refine(
      (keys) => keys.every((key) => /^[0-9a-f]{64}$/.test(key)),
      'must be keys of 64 hexadecimal digits',
    )
    .refine((keys) => new Set(keys).size === keys.length, 'must name each key once')
    .refine((keys) => keys.every((key) => new Set(key).size > 4), 'must be random')
    .transform((keys) => keys.map((key) => Buffer.from(key, 'hex'))),
};

type Fields = z.output<z.ZodObject<typeof sealedTokenFields>>;

export interface SealedTokensConfig {
  /** 32 bytes each, never empty. The first one encrypts; all decrypt. */
  encryptionKeys: Buffer[];
}

export function sealedTokensOf({ ENCRYPTION_KEYS }: Fields): SealedTokensConfig {
  return { encryptionKeys: ENCRYPTION_KEYS };
}
