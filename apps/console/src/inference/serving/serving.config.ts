import { env } from '@inference/config';
import { type z } from 'zod';

export const SERVING_CONFIG = Symbol('SERVING_CONFIG');

export const servingFields = {
  ...env.upstreamEncryption,
  ...env.upstreamNetworks,
};

type Fields = z.output<z.ZodObject<typeof servingFields>>;

export interface ServingConfig {
  /** 32 bytes each. The first one encrypts credentials of upstreams; all decrypt. */
  encryptionKeys: Buffer[];
  allowsPrivateNetworks: boolean;
}

export const servingOf = (fields: Fields): ServingConfig => ({
  encryptionKeys: fields.UPSTREAM_ENCRYPTION_KEYS,
  allowsPrivateNetworks: fields.UPSTREAM_PRIVATE_NETWORKS === 'allowed',
});
