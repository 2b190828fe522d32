import { createPublicKey, X509Certificate } from 'node:crypto';
import { env, type Site } from '@inference/config';
import { decimalToPicos } from '@inference/money';
import { z } from 'zod';
import {
  isComplete,
  isStrongRsa,
  listField,
  providerUrlField,
  rsaKeyField,
  unfoldPem,
} from './provider-fields';

const WECHAT_API_URL = 'https://api.mch.weixin.qq.com';
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

const REQUIRED_BY_WECHAT = [
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
    apiUrl: config.WECHAT_PAY_API_URL ?? WECHAT_API_URL,
    appId: config.WECHAT_PAY_APP_ID,
    merchantId: config.WECHAT_PAY_MERCHANT_ID,
    merchantSerial: config.WECHAT_PAY_MERCHANT_SERIAL,
    merchantKey: config.WECHAT_PAY_MERCHANT_KEY,
    apiV3Key: config.WECHAT_PAY_API_V3_KEY,
    platformKeys: config.WECHAT_PAY_PLATFORM_KEYS,
  };
}

const STRIPE_API_URL = 'https://api.stripe.com';

/** Stripe's limits of a charge in USD (docs.stripe.com/currencies). */
const STRIPE_MIN_PICOS = decimalToPicos('0.50');
const STRIPE_MAX_PICOS = decimalToPicos('999999.99');

const stripeFields = {
  /** Secret key of Stripe (`card_provider`), on the site `intl` only. */
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_[A-Za-z0-9_]{16,}$/, 'must be a secret key (sk_… or rk_…)')
    .optional(),
  /** Signing secrets of the webhook's endpoint, comma-separated while one replaces another. */
  STRIPE_WEBHOOK_SECRETS: listField(
    z.string().regex(/^whsec_[A-Za-z0-9+/=_-]{16,}$/, 'must be signing secrets (whsec_…)'),
  ).optional(),
  /** Root of Stripe's API without a path, `https://api.stripe.com` by default. */
  STRIPE_API_URL: providerUrlField()
    .refine((url) => !URL.canParse(url) || new URL(url).pathname === '/', 'must have no path')
    .optional(),
};

const REQUIRED_BY_STRIPE = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRETS'] as const;

export interface StripeConfig {
  apiUrl: string;
  secretKey: string;
  webhookSecrets: string[];
}

/** Null without credentials. */
function stripeOf(config: z.output<z.ZodObject<typeof stripeFields>>): StripeConfig | null {
  if (!isComplete(config, REQUIRED_BY_STRIPE)) return null;
  return {
    apiUrl: config.STRIPE_API_URL ?? STRIPE_API_URL,
    secretKey: config.STRIPE_SECRET_KEY,
    webhookSecrets: config.STRIPE_WEBHOOK_SECRETS,
  };
}

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

const REQUIRED_BY_ALIPAY = [
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

export const PAYMENT_PROVIDERS_CONFIG = Symbol('PAYMENT_PROVIDERS_CONFIG');

export const paymentProviderFields = { ...stripeFields, ...wechatFields, ...alipayFields };

type PaymentProviderFields = z.output<z.ZodObject<typeof paymentProviderFields>>;
type FieldName = keyof PaymentProviderFields;

interface ProviderVariables {
  site: Site;
  required: readonly FieldName[];
  optional: readonly FieldName[];
}

const PROVIDERS: ProviderVariables[] = [
  { site: 'intl', required: REQUIRED_BY_STRIPE, optional: ['STRIPE_API_URL'] },
  { site: 'cn', required: REQUIRED_BY_WECHAT, optional: ['WECHAT_PAY_API_URL'] },
  { site: 'cn', required: REQUIRED_BY_ALIPAY, optional: ['ALIPAY_GATEWAY_URL'] },
];

/** Credentials of the payment providers, null for a provider without them. */
export interface PaymentProvidersConfig {
  stripe: StripeConfig | null;
  wechat: WechatConfig | null;
  alipay: AlipayConfig | null;
}

/** Reports every variable that a provider lacks or that belongs to the other site. */
export function checkPaymentProviders(
  config: Partial<PaymentProviderFields> & {
    SITE: Site;
    MIN_TOPUP?: bigint | undefined;
    MAX_TOPUP?: bigint | undefined;
  },
  context: z.RefinementCtx,
): void {
  const fault = (name: FieldName | 'MIN_TOPUP' | 'MAX_TOPUP', message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  for (const { site, required, optional } of PROVIDERS) {
    const present = [...required, ...optional].filter((name) => config[name] !== undefined);
    if (present.length === 0) continue;
    if (config.SITE !== site && (config.SITE as string | undefined) !== undefined) {
      for (const name of present) fault(name, `is for the site ${site} only`);
      continue;
    }
    for (const name of required)
      if (config[name] === undefined) fault(name, `is missing beside ${present[0]}`);
  }
  const { STRIPE_SECRET_KEY, MIN_TOPUP, MAX_TOPUP } = config;
  if (STRIPE_SECRET_KEY !== undefined && typeof MIN_TOPUP === 'bigint' && MIN_TOPUP < STRIPE_MIN_PICOS)
    fault('MIN_TOPUP', 'is less than Stripe takes, 0.50');
  if (STRIPE_SECRET_KEY !== undefined && typeof MAX_TOPUP === 'bigint' && MAX_TOPUP > STRIPE_MAX_PICOS)
    fault('MAX_TOPUP', 'is more than Stripe takes, 999999.99');
  const { WECHAT_PAY_MERCHANT_SERIAL: merchantSerial, WECHAT_PAY_PLATFORM_KEYS: platformKeys } = config;
  if (merchantSerial !== undefined && Object.hasOwn(platformKeys ?? {}, merchantSerial.toUpperCase()))
    fault('WECHAT_PAY_PLATFORM_KEYS', "holds the merchant's own certificate, and must hold WeChat Pay's");
}

export const paymentProvidersOf = (config: PaymentProviderFields): PaymentProvidersConfig => ({
  stripe: stripeOf(config),
  wechat: wechatOf(config),
  alipay: alipayOf(config),
});
