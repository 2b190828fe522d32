import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
  randomBytes,
  randomInt,
  sign,
} from 'node:crypto';
import { type ProviderAccounts, type WechatPlatformKey } from './provider-accounts';

/** The subset of X.509 (RFC 5280) in DER that a self-signed certificate with an RSA key needs. */

const TAG = {
  integer: 0x02,
  bitString: 0x03,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  explicit0: 0xa0,
};
const VERSION_3 = Buffer.from([2]);
const SHA256_WITH_RSA = Buffer.from('2a864886f70d01010b', 'hex');
const COMMON_NAME = Buffer.from('550403', 'hex');
const SHORTEST_LONG_LENGTH = 0x80;
const SERIAL_BYTES = 20;
const DAY_MS = 86_400_000;
const LIFE_DAYS = 5 * 365;

function lengthOf(content: Buffer): Buffer {
  if (content.length < SHORTEST_LONG_LENGTH) return Buffer.from([content.length]);
  const hex = content.length.toString(16);
  const digits = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([SHORTEST_LONG_LENGTH | digits.length]), digits]);
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);
}

const sequence = (...parts: Buffer[]) => der(TAG.sequence, ...parts);
const bitString = (bytes: Buffer) => der(TAG.bitString, Buffer.from([0]), bytes);

/** UTCTime, YYMMDDHHMMSSZ, which covers the years up to 2049. */
const utcTime = (time: Date) =>
  der(TAG.utcTime, Buffer.from(`${time.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));

/** A positive number without a leading zero, so that every tool prints the same digits. */
function newSerial(): Buffer {
  const serial = randomBytes(SERIAL_BYTES);
  serial[0] = (serial[0]! & 0x3f) | 0x40;
  return serial;
}

/** Returns the certificate in PEM and its serial number in upper-case hexadecimal. */
export function selfSignedCertificate(
  commonName: string,
  privateKey: KeyObject,
): { certificate: string; serial: string } {
  const serial = newSerial();
  const algorithm = sequence(der(TAG.oid, SHA256_WITH_RSA), der(TAG.null));
  const name = sequence(
    der(TAG.set, sequence(der(TAG.oid, COMMON_NAME), der(TAG.utf8String, Buffer.from(commonName)))),
  );
  const now = Date.now();
  const signed = sequence(
    der(TAG.explicit0, der(TAG.integer, VERSION_3)),
    der(TAG.integer, serial),
    algorithm,
    name,
    sequence(utcTime(new Date(now - DAY_MS)), utcTime(new Date(now + LIFE_DAYS * DAY_MS))),
    name,
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
  );
  const certificate = sequence(signed, algorithm, bitString(sign('sha256', signed, privateKey)));
  const lines = certificate.toString('base64').match(/.{1,64}/g)!;
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    serial: serial.toString('hex').toUpperCase(),
  };
}

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
