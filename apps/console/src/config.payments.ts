import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { env, type Site } from '@inference/config';
import { decimalToPicos } from '@inference/money';
import { z } from 'zod';
import { isPrivateChannel } from './config.oauth';

const MIN_RSA_BITS = 2048;
const BARE_BASE64 = /^[A-Za-z0-9+/=\s]+$/;

/** A PEM with real or written-out line ends, or the bare base64 in which Alipay hands out keys. */
function pemOf(text: string, labels: string[]): string[] {
  const unfolded = text.replaceAll('\\n', '\n').trim();
  if (!BARE_BASE64.test(unfolded)) return [unfolded];
  return labels.map((label) => `-----BEGIN ${label}-----\n${unfolded}\n-----END ${label}-----\n`);
}

function firstKey(pems: string[], read: (pem: string) => KeyObject): KeyObject | null {
  for (const pem of pems) {
    try {
      return read(pem);
    } catch {
      continue;
    }
  }
  return null;
}

const isStrongRsa = (key: KeyObject) =>
  key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS;

/** Keys and certificates become PEM text, whatever form they came in. */
const rsaKey = (kind: 'private' | 'public') =>
  z.string().transform((text, context) => {
    const key =
      kind === 'private'
        ? firstKey(pemOf(text, ['PRIVATE KEY', 'RSA PRIVATE KEY']), createPrivateKey)
        : firstKey(pemOf(text, ['PUBLIC KEY', 'RSA PUBLIC KEY']), createPublicKey);
    if (key && isStrongRsa(key))
      return key
        .export(kind === 'private' ? { type: 'pkcs8', format: 'pem' } : { type: 'spki', format: 'pem' })
        .toString();
    context.addIssue({
      code: 'custom',
      message: `must be a ${kind} RSA key of ${MIN_RSA_BITS} bits or more, as PEM`,
    });
    return z.NEVER;
  });

const PUBLIC_KEY_ID = /^PUB_KEY_ID_[0-9A-Za-z]{1,64}$/;
const CERTIFICATE_SERIAL = /^[0-9A-Fa-f]{8,64}$/;

/** One of WeChat Pay's public keys by its id, or one of its certificates by its serial number. */
function isPlatformKey([id, pem]: [string, string]): boolean {
  const unfolded = pem.replaceAll('\\n', '\n');
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
          pem.replaceAll('\\n', '\n'),
        ]),
      ),
    ),
);

const list = (item: z.ZodType<string, string>) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item));

/** Money follows from what is said there, and a secret goes along. */
const providerUrl = () =>
  env
    .httpUrl()
    .refine(
      (url) => !URL.canParse(url) || isPrivateChannel(url),
      'must be https, except on this machine itself',
    );

export const paymentFields = {
  /** How long an order can be paid: what Stripe allows, less what a slow clock may take. */
  PAYMENT_TTL_SECONDS: env.integer(1_860, 86_100).default(3_600),

  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_[A-Za-z0-9_]{16,}$/, 'must be a secret key (sk_… or rk_…)')
    .optional(),
  /** Of the webhook's endpoint, comma-separated while one replaces another. */
  STRIPE_WEBHOOK_SECRETS: list(
    z.string().regex(/^whsec_[A-Za-z0-9+/=_-]{16,}$/, 'must be signing secrets (whsec_…)'),
  ).optional(),
  STRIPE_API_URL: providerUrl()
    .refine((url) => !URL.canParse(url) || new URL(url).pathname === '/', 'must have no path')
    .optional(),

  WECHAT_PAY_APP_ID: z
    .string()
    .regex(/^wx[0-9a-zA-Z]{8,30}$/, 'must be an app id (wx…)')
    .optional(),
  WECHAT_PAY_MERCHANT_ID: z
    .string()
    .regex(/^\d{8,16}$/, 'must be a merchant number')
    .optional(),
  /** Of the merchant's API certificate, whose private key signs requests. */
  WECHAT_PAY_MERCHANT_SERIAL: z
    .string()
    .regex(CERTIFICATE_SERIAL, "must be a certificate's serial number in hexadecimal digits")
    .optional(),
  WECHAT_PAY_MERCHANT_KEY: rsaKey('private').optional(),
  /** Opens notifications. */
  WECHAT_PAY_API_V3_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{32}$/, 'must have 32 printable ASCII characters')
    .optional(),
  /** What WeChat Pay signs with: JSON, id of a public key or serial number of a certificate → PEM. */
  WECHAT_PAY_PLATFORM_KEYS: platformKeys.optional(),
  WECHAT_PAY_API_URL: providerUrl().optional(),

  ALIPAY_APP_ID: z
    .string()
    .regex(/^\d{8,32}$/, 'must be an app id')
    .optional(),
  /** The merchant whose account the money goes to. */
  ALIPAY_SELLER_ID: z
    .string()
    .regex(/^2088\d{12}$/, "must be a seller's id (2088…, 16 digits)")
    .optional(),
  /** Signs requests (RSA2). */
  ALIPAY_APP_KEY: rsaKey('private').optional(),
  /** Alipay's own, not the app's. */
  ALIPAY_PUBLIC_KEY: rsaKey('public').optional(),
  ALIPAY_GATEWAY_URL: providerUrl().optional(),
};

type Fields = z.output<z.ZodObject<typeof paymentFields>>;
type FieldName = keyof Fields;

/** What each provider cannot do without; the rest has defaults. */
const REQUIRED = {
  stripe: ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRETS'],
  wechat: [
    'WECHAT_PAY_APP_ID',
    'WECHAT_PAY_MERCHANT_ID',
    'WECHAT_PAY_MERCHANT_SERIAL',
    'WECHAT_PAY_MERCHANT_KEY',
    'WECHAT_PAY_API_V3_KEY',
    'WECHAT_PAY_PLATFORM_KEYS',
  ],
  alipay: ['ALIPAY_APP_ID', 'ALIPAY_SELLER_ID', 'ALIPAY_APP_KEY', 'ALIPAY_PUBLIC_KEY'],
} as const satisfies Record<string, FieldName[]>;
const OPTIONAL = {
  stripe: 'STRIPE_API_URL',
  wechat: 'WECHAT_PAY_API_URL',
  alipay: 'ALIPAY_GATEWAY_URL',
} as const satisfies Record<string, FieldName>;
type Provider = keyof typeof REQUIRED;
const SITE_OF: Record<Provider, Site> = { stripe: 'intl', wechat: 'cn', alipay: 'cn' };
const PROVIDERS = Object.keys(REQUIRED) as Provider[];

/** In USD. */
const STRIPE_MIN_PICOS = decimalToPicos('0.50');
const STRIPE_MAX_PICOS = decimalToPicos('999999.99');
const STRIPE_URL = 'https://api.stripe.com';
const WECHAT_URL = 'https://api.mch.weixin.qq.com';
const ALIPAY_URL = 'https://openapi.alipay.com/gateway.do';

/** Names every variable that keeps a provider from being complete, or that belongs to the other site. */
export function checkPayments(
  config: Partial<Fields> & { SITE: Site; MIN_TOPUP?: bigint | undefined; MAX_TOPUP?: bigint | undefined },
  context: z.RefinementCtx,
): void {
  const fault = (name: FieldName | 'MIN_TOPUP' | 'MAX_TOPUP', message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  for (const provider of PROVIDERS) {
    const names: FieldName[] = [...REQUIRED[provider], OPTIONAL[provider]];
    const present = names.filter((name) => config[name] !== undefined);
    if (present.length === 0) continue;
    const site = SITE_OF[provider];
    if (config.SITE !== site && (config.SITE as string | undefined) !== undefined) {
      for (const name of present) fault(name, `is for the site ${site} only`);
      continue;
    }
    for (const name of REQUIRED[provider])
      if (config[name] === undefined) fault(name, `is missing beside ${present[0]}`);
  }
  const { STRIPE_SECRET_KEY, MIN_TOPUP, MAX_TOPUP } = config;
  if (STRIPE_SECRET_KEY !== undefined && typeof MIN_TOPUP === 'bigint' && MIN_TOPUP < STRIPE_MIN_PICOS)
    fault('MIN_TOPUP', 'is less than Stripe takes, 0.50');
  if (STRIPE_SECRET_KEY !== undefined && typeof MAX_TOPUP === 'bigint' && MAX_TOPUP > STRIPE_MAX_PICOS)
    fault('MAX_TOPUP', 'is more than Stripe takes, 999999.99');
  const { WECHAT_PAY_MERCHANT_SERIAL: own, WECHAT_PAY_PLATFORM_KEYS: platform } = config;
  if (own !== undefined && Object.hasOwn(platform ?? {}, own.toUpperCase()))
    fault('WECHAT_PAY_PLATFORM_KEYS', "holds the merchant's own certificate, and must hold WeChat Pay's");
}

type Complete<Names extends FieldName> = { [Name in Names]-?: NonNullable<Fields[Name]> };
const isComplete = <Names extends FieldName>(
  config: Fields,
  names: readonly Names[],
): config is Fields & Complete<Names> => names.every((name) => config[name] !== undefined);

/** The credentials of each provider that has them, null for the others. Keys are PEM texts. */
export function paymentsOf(config: Fields) {
  return {
    ttlSeconds: config.PAYMENT_TTL_SECONDS,
    stripe: isComplete(config, REQUIRED.stripe)
      ? {
          apiUrl: config.STRIPE_API_URL ?? STRIPE_URL,
          secretKey: config.STRIPE_SECRET_KEY,
          webhookSecrets: config.STRIPE_WEBHOOK_SECRETS,
        }
      : null,
    wechat: isComplete(config, REQUIRED.wechat)
      ? {
          apiUrl: config.WECHAT_PAY_API_URL ?? WECHAT_URL,
          appId: config.WECHAT_PAY_APP_ID,
          merchantId: config.WECHAT_PAY_MERCHANT_ID,
          merchantSerial: config.WECHAT_PAY_MERCHANT_SERIAL,
          merchantKey: config.WECHAT_PAY_MERCHANT_KEY,
          apiV3Key: config.WECHAT_PAY_API_V3_KEY,
          platformKeys: config.WECHAT_PAY_PLATFORM_KEYS,
        }
      : null,
    alipay: isComplete(config, REQUIRED.alipay)
      ? {
          gatewayUrl: config.ALIPAY_GATEWAY_URL ?? ALIPAY_URL,
          appId: config.ALIPAY_APP_ID,
          sellerId: config.ALIPAY_SELLER_ID,
          appKey: config.ALIPAY_APP_KEY,
          alipayPublicKey: config.ALIPAY_PUBLIC_KEY,
        }
      : null,
  };
}

export type StripeConfig = NonNullable<ReturnType<typeof paymentsOf>['stripe']>;
export type WechatConfig = NonNullable<ReturnType<typeof paymentsOf>['wechat']>;
export type AlipayConfig = NonNullable<ReturnType<typeof paymentsOf>['alipay']>;
