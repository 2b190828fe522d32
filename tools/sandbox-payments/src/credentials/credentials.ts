import {
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  randomBytes,
  randomInt,
} from 'node:crypto';
import { type ProviderAccounts, type WechatPlatformKey } from './provider-accounts';
import { selfSignedCertificate } from './self-signed';

const RSA_BITS = 2048;
/** Enough for two sandboxes: each has four, or five with certificates. */
const KEY_PAIRS = 10;
/** The path is that of the console. The origin is replaced by the configured merchant. */
const STRIPE_WEBHOOK_URL = 'http://127.0.0.1:3000/api/billing/webhooks/card_provider';

export type Site = 'intl' | 'cn';

/** The credentials of both sides: the providers' in `accounts`, the merchant's in `console`. */
export interface Credentials {
  accounts: ProviderAccounts;
  /** Environment variables of the console, without the URLs of the providers. */
  console: Record<string, string>;
}

export interface CredentialsOptions {
  /** WeChat Pay signs with two alternating certificates, as during a rotation, instead of a public key. */
  certificates?: boolean;
}

export function newCredentials(site: Site, { certificates = false }: CredentialsOptions = {}): Credentials {
  if (site === 'intl') return stripeCredentials();
  const wechat = wechatCredentials(certificates);
  const alipay = alipayCredentials();
  return {
    accounts: { ...wechat.accounts, ...alipay.accounts },
    console: { ...wechat.console, ...alipay.console },
  };
}

/** The environment variables of the console: its credentials, and this sandbox as the URL of the providers. */
export function consoleEnvironment({ accounts, console }: Credentials, url: string): Record<string, string> {
  return {
    ...console,
    ...(accounts.stripe && { STRIPE_API_URL: url }),
    ...(accounts.wechat && { WECHAT_PAY_API_URL: url }),
    ...(accounts.alipay && { ALIPAY_GATEWAY_URL: `${url}/gateway.do` }),
  };
}

/** The test runner keeps them for all test files of a worker, which otherwise begins each file with fresh modules. */
const KEPT = Symbol.for('sandbox key pairs');
const keyPairs: KeyPairKeyObjectResult[] = ((globalThis as { [KEPT]?: KeyPairKeyObjectResult[] })[KEPT] ??=
  []);
let givenKeyPairs = 0;

/** Another one than the last nine. A new one takes a tenth of a second, and tests start dozens of sandboxes. */
function nextKeyPair(): KeyPairKeyObjectResult {
  const index = givenKeyPairs++ % KEY_PAIRS;
  return (keyPairs[index] ??= generateKeyPairSync('rsa', { modulusLength: RSA_BITS }));
}

const privatePem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const publicPem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const digits = (count: number) => Array.from({ length: count }, () => randomInt(10)).join('');

function stripeCredentials(): Credentials {
  const secretKey = `sk_test_${hex(24)}`;
  const webhookSecret = `whsec_${hex(16)}`;
  return {
    accounts: { stripe: { secretKey, webhookUrl: STRIPE_WEBHOOK_URL, webhookSecret } },
    console: { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRETS: webhookSecret },
  };
}

/** A signing key of WeChat Pay, and its public part for the merchant. */
function newPlatformKey(asCertificate: boolean): { key: WechatPlatformKey; published: string } {
  const { privateKey, publicKey } = nextKeyPair();
  if (!asCertificate) {
    const key = { id: `PUB_KEY_ID_${digits(32)}`, privateKey: privatePem(privateKey) };
    return { key, published: publicPem(publicKey) };
  }
  const { certificate, serial } = selfSignedCertificate('Tenpay.com sandbox', privateKey);
  return {
    key: { id: serial, privateKey: privatePem(privateKey), certificate },
    published: certificate,
  };
}

function wechatCredentials(certificates: boolean): Credentials {
  const merchant = nextKeyPair();
  const platform = certificates ? [newPlatformKey(true), newPlatformKey(true)] : [newPlatformKey(false)];
  const own = {
    appId: `wx${hex(8)}`,
    merchantId: `1${digits(9)}`,
    merchantSerial: hex(20).toUpperCase(),
    apiV3Key: hex(16),
  };
  const published = Object.fromEntries(platform.map(({ key, published }) => [key.id, published]));
  return {
    accounts: {
      wechat: {
        ...own,
        merchantPublicKey: publicPem(merchant.publicKey),
        platformKeys: platform.map(({ key }) => key),
      },
    },
    console: {
      WECHAT_PAY_APP_ID: own.appId,
      WECHAT_PAY_MERCHANT_ID: own.merchantId,
      WECHAT_PAY_MERCHANT_SERIAL: own.merchantSerial,
      WECHAT_PAY_MERCHANT_KEY: privatePem(merchant.privateKey),
      WECHAT_PAY_API_V3_KEY: own.apiV3Key,
      WECHAT_PAY_PLATFORM_KEYS: JSON.stringify(published),
    },
  };
}

function alipayCredentials(): Credentials {
  const app = nextKeyPair();
  const alipay = nextKeyPair();
  const appId = `2021${digits(12)}`;
  const sellerId = `2088${digits(12)}`;
  return {
    accounts: {
      alipay: {
        appId,
        sellerId,
        appPublicKey: publicPem(app.publicKey),
        alipayPrivateKey: privatePem(alipay.privateKey),
      },
    },
    console: {
      ALIPAY_APP_ID: appId,
      ALIPAY_SELLER_ID: sellerId,
      ALIPAY_APP_KEY: privatePem(app.privateKey),
      ALIPAY_PUBLIC_KEY: publicPem(alipay.publicKey),
    },
  };
}
