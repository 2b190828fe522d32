import { createPublicKey, X509Certificate } from 'node:crypto';
import { env } from '@inference/config';
import { z } from 'zod';
import { isComplete, isStrongRsa, providerUrlField, rsaKeyField, unfoldPem } from '../provider-fields';

const DEFAULT_API_URL = 'https://api.mch.weixin.qq.com';
const PUBLIC_KEY_ID = /^PUB_KEY_ID_[0-9A-Za-z]{1,64}$/;
const CERTIFICATE_SERIAL = /^[0-9A-Fa-f]{8,64}$/;

/** Whether the PEM is a public key for its id, or the certificate that has this serial number. */
function isPlatformKey([id, pem]: [string, string]): boolean {
  const unfolded = unfoldPem(pem);
  try {
    if (PUBLIC_KEY_ID.test(id)) return isStrongRsa(createPublicKey(unfolded));
    const { serialNumber, publicKey } = new X509Certificate(unfolded);
    return serialNumber.toUpperCase() === id.toUpperCase() && isStrongRsa(publicKey);
  } catch {
    return false;
  }
}

const platformKeys = env.json(
  z
    .record(
      z.string().refine((id) => PUBLIC_KEY_ID.test(id) || CERTIFICATE_SERIAL.test(id)),
      z.string(),
      'must be an object: id of a public key (PUB_KEY_ID_…) or serial number of a certificate → PEM',
    )
    .refine((keys) => Object.keys(keys).length > 0, 'must hold at least one key')
    .refine(
      (keys) => Object.entries(keys).every(isPlatformKey),
      'must hold public keys by their ids (PUB_KEY_ID_…) and certificates by their own serial numbers',
    )
    .transform((keys) =>
      Object.fromEntries(
        Object.entries(keys).map(([id, pem]) => [
          PUBLIC_KEY_ID.test(id) ? id : id.toUpperCase(),
          unfoldPem(pem),
        ]),
      ),
    ),
);

export const wechatFields = {
  /** App id of WeChat Pay (`messaging_pay_provider`), on the site `cn` only. */
  WECHAT_PAY_APP_ID: z
    .string()
    .regex(/^wx[0-9a-zA-Z]{8,30}$/, 'must be an app id (wx…)')
    .optional(),
  /** Merchant number at WeChat Pay. */
  WECHAT_PAY_MERCHANT_ID: z
    .string()
    .regex(/^\d{8,16}$/, 'must be a merchant number')
    .optional(),
  /** Serial number, in hexadecimal digits, of the merchant's API certificate. */
  WECHAT_PAY_MERCHANT_SERIAL: z
    .string()
    .regex(CERTIFICATE_SERIAL, "must be a certificate's serial number in hexadecimal digits")
    .optional(),
  /** Private key of that certificate as PEM; it signs requests. Line ends may be written as `\n`. */
  WECHAT_PAY_MERCHANT_KEY: rsaKeyField('private').optional(),
  /** APIv3 key, which decrypts notifications and certificates. */
  WECHAT_PAY_API_V3_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{32}$/, 'must have 32 printable ASCII characters')
    .optional(),
  /**
   * The keys that WeChat Pay signs with, as JSON: id of a public key (`PUB_KEY_ID_…`) or serial number of a
   * certificate → PEM. Newer certificates are fetched.
   */
  WECHAT_PAY_PLATFORM_KEYS: platformKeys.optional(),
  /** Root of WeChat Pay's API, `https://api.mch.weixin.qq.com` by default. */
  WECHAT_PAY_API_URL: providerUrlField().optional(),
};

export const REQUIRED_BY_WECHAT = [
  'WECHAT_PAY_APP_ID',
  'WECHAT_PAY_MERCHANT_ID',
  'WECHAT_PAY_MERCHANT_SERIAL',
  'WECHAT_PAY_MERCHANT_KEY',
  'WECHAT_PAY_API_V3_KEY',
  'WECHAT_PAY_PLATFORM_KEYS',
] as const;

export interface WechatConfig {
  apiUrl: string;
  appId: string;
  merchantId: string;
  merchantSerial: string;
  /** PEM text. */
  merchantKey: string;
  apiV3Key: string;
  /** PEM text by the id of the public key or the certificate's serial number in capitals. */
  platformKeys: Record<string, string>;
}

/** Null without credentials. */
export function wechatOf(config: z.output<z.ZodObject<typeof wechatFields>>): WechatConfig | null {
  if (!isComplete(config, REQUIRED_BY_WECHAT)) return null;
  return {
    apiUrl: config.WECHAT_PAY_API_URL ?? DEFAULT_API_URL,
    appId: config.WECHAT_PAY_APP_ID,
    merchantId: config.WECHAT_PAY_MERCHANT_ID,
    merchantSerial: config.WECHAT_PAY_MERCHANT_SERIAL,
    merchantKey: config.WECHAT_PAY_MERCHANT_KEY,
    apiV3Key: config.WECHAT_PAY_API_V3_KEY,
    platformKeys: config.WECHAT_PAY_PLATFORM_KEYS,
  };
}
