import { z } from 'zod';
import { isComplete, providerUrlField, rsaKeyField } from '../provider-fields';

const DEFAULT_GATEWAY_URL = 'https://openapi.alipay.com/gateway.do';

export const alipayFields = {
  /** App id of Alipay (`wallet_pay_provider`), on the site `cn` only. */
  ALIPAY_APP_ID: z
    .string()
    .regex(/^\d{8,32}$/, 'must be an app id')
    .optional(),
  /** Id of the seller (2088…, 16 digits) whose account receives the money. */
  ALIPAY_SELLER_ID: z
    .string()
    .regex(/^2088\d{12}$/, "must be a seller's id (2088…, 16 digits)")
    .optional(),
  /** Private key of the app, PEM or bare base64; it signs requests (RSA2). */
  ALIPAY_APP_KEY: rsaKeyField('private').optional(),
  /** Alipay's own public key, not the app's, PEM or bare base64. */
  ALIPAY_PUBLIC_KEY: rsaKeyField('public').optional(),
  /** Alipay's gateway, `https://openapi.alipay.com/gateway.do` by default. */
  ALIPAY_GATEWAY_URL: providerUrlField().optional(),
};

export const REQUIRED_BY_ALIPAY = [
  'ALIPAY_APP_ID',
  'ALIPAY_SELLER_ID',
  'ALIPAY_APP_KEY',
  'ALIPAY_PUBLIC_KEY',
] as const;

export interface AlipayConfig {
  gatewayUrl: string;
  appId: string;
  sellerId: string;
  /** PEM text. */
  appKey: string;
  /** PEM text. */
  alipayPublicKey: string;
}

/** Null without credentials. */
export function alipayOf(config: z.output<z.ZodObject<typeof alipayFields>>): AlipayConfig | null {
  if (!isComplete(config, REQUIRED_BY_ALIPAY)) return null;
  return {
    gatewayUrl: config.ALIPAY_GATEWAY_URL ?? DEFAULT_GATEWAY_URL,
    appId: config.ALIPAY_APP_ID,
    sellerId: config.ALIPAY_SELLER_ID,
    appKey: config.ALIPAY_APP_KEY,
    alipayPublicKey: config.ALIPAY_PUBLIC_KEY,
  };
}
