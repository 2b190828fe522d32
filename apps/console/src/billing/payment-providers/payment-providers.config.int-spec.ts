import { generateKeyPairSync } from 'node:crypto';
import { SandboxPayments } from '@inference/sandbox-payments';
import { rememberSecret } from '@inference/testing';
import { configFaults, configWith } from '../../testing/console-config.fixture';

const read = (changes: Record<string, string>) => configWith(changes).paymentProviders;

const newPair = (modulusLength: number) => {
  const pair = generateKeyPairSync('rsa', {
    modulusLength,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  rememberSecret(pair.privateKey);
  return pair;
};
const { privateKey, publicKey } = newPair(2048);
const short = newPair(1024);
const bare = (pem: string) => pem.replace(/-----.*-----|\n/g, '');

const STRIPE = {
  STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef0123',
  STRIPE_WEBHOOK_SECRETS: 'whsec_0123456789abcdef0123',
};
const WECHAT = {
  SITE: 'cn',
  WECHAT_PAY_APP_ID: 'wx0123456789abcdef',
  WECHAT_PAY_MERCHANT_ID: '1900000001',
  WECHAT_PAY_MERCHANT_SERIAL: '5157F09EFDC096DE15EBE81A47057A7232F1B8E1',
  WECHAT_PAY_MERCHANT_KEY: privateKey,
  WECHAT_PAY_API_V3_KEY: '0123456789abcdef0123456789abcdef',
  WECHAT_PAY_PLATFORM_KEYS: JSON.stringify({ PUB_KEY_ID_0119000000012024: publicKey }),
};
const ALIPAY = {
  SITE: 'cn',
  ALIPAY_APP_ID: '2021000000000001',
  ALIPAY_SELLER_ID: '2088000000000001',
  ALIPAY_APP_KEY: privateKey,
  ALIPAY_PUBLIC_KEY: publicKey,
};

describe('payment providers configuration', () => {
  it('is null without credentials', () => {
    expect(read({})).toEqual({ stripe: null, wechat: null, alipay: null });
    expect(configWith().payments.ttlSeconds).toBe(3600);
  });

  it('holds credentials and the default addresses', () => {
    expect(
      read({ ...STRIPE, STRIPE_WEBHOOK_SECRETS: 'whsec_0123456789abcdef0123, whsec_fedcba98765432100' })
        .stripe,
    ).toEqual({
      apiUrl: 'https://api.stripe.com',
      secretKey: STRIPE.STRIPE_SECRET_KEY,
      webhookSecrets: ['whsec_0123456789abcdef0123', 'whsec_fedcba98765432100'],
    });
    const { wechat, alipay } = read({
      ...WECHAT,
      ...ALIPAY,
      ALIPAY_GATEWAY_URL: 'http://127.0.0.1:1/gateway.do',
    });
    expect(wechat).toMatchObject({
      apiUrl: 'https://api.mch.weixin.qq.com',
      merchantKey: privateKey,
      platformKeys: { PUB_KEY_ID_0119000000012024: publicKey },
    });
    expect(alipay).toMatchObject({ gatewayUrl: 'http://127.0.0.1:1/gateway.do', alipayPublicKey: publicKey });
  });

  it.each([
    ['with written-out line ends', privateKey.replaceAll('\n', '\\n'), publicKey.replaceAll('\n', '\\n')],
    ['as bare base64', bare(privateKey), bare(publicKey)],
  ])('accepts keys %s', (_form, appKey, alipayKey) => {
    const { alipay } = read({ ...ALIPAY, ALIPAY_APP_KEY: appKey, ALIPAY_PUBLIC_KEY: alipayKey });
    expect(alipay).toMatchObject({ appKey: privateKey, alipayPublicKey: publicKey });
  });

  it('reports every missing variable of an incomplete provider', () => {
    const { STRIPE_WEBHOOK_SECRETS: _secrets, ...noSecrets } = STRIPE;
    expect(configFaults(noSecrets)).toEqual(['STRIPE_WEBHOOK_SECRETS: is missing beside STRIPE_SECRET_KEY']);
    expect(
      configFaults({ SITE: 'cn', WECHAT_PAY_API_URL: 'https://a.test', ALIPAY_APP_ID: '2021000000000001' }),
    ).toEqual([
      ...Object.keys(WECHAT)
        .filter((name) => name !== 'SITE')
        .map((name) => `${name}: is missing beside WECHAT_PAY_API_URL`),
      'ALIPAY_SELLER_ID: is missing beside ALIPAY_APP_ID',
      'ALIPAY_APP_KEY: is missing beside ALIPAY_APP_ID',
      'ALIPAY_PUBLIC_KEY: is missing beside ALIPAY_APP_ID',
    ]);
  });

  it('refuses providers of the other site', () => {
    expect(configFaults({ ...STRIPE, SITE: 'cn' })).toEqual([
      'STRIPE_SECRET_KEY: is for the site intl only',
      'STRIPE_WEBHOOK_SECRETS: is for the site intl only',
    ]);
    expect(configFaults({ ...ALIPAY, SITE: 'intl' })).toHaveLength(4);
  });

  it("refuses the merchant's own certificate as WeChat Pay's", async () => {
    const sandbox = await SandboxPayments.start({ site: 'cn', certificates: true });
    const variables = { SITE: 'cn', ...sandbox.consoleEnvironment() };
    await sandbox.stop();
    const [serial = ''] = Object.keys(read(variables).wechat?.platformKeys ?? {});
    expect(configFaults({ ...variables, WECHAT_PAY_MERCHANT_SERIAL: serial.toLowerCase() })).toEqual([
      "WECHAT_PAY_PLATFORM_KEYS: holds the merchant's own certificate, and must hold WeChat Pay's",
    ]);
  });

  it.each([
    ['STRIPE_SECRET_KEY', 'pk_test_0123456789abcdef0123'],
    ['STRIPE_WEBHOOK_SECRETS', 'whsec_0123456789abcdef0123,'],
    ['STRIPE_API_URL', 'ftp://stripe.test'],
    ['STRIPE_API_URL', 'http://stripe.test'],
    ['STRIPE_API_URL', 'https://stripe.test/v1'],
    ['MIN_TOPUP', '0.49'],
    ['MAX_TOPUP', '1000000'],
    ['PAYMENT_TTL_SECONDS', '59'],
    ['PAYMENT_TTL_SECONDS', '90000'],
  ])('refuses %s=%s', (name, value) => {
    const faults = configFaults({ ...STRIPE, [name]: value });
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name}`))]);
    expect(faults.join()).not.toContain(value);
  });

  it.each([
    ['WECHAT_PAY_API_URL', 'http://wechat.test'],
    ['WECHAT_PAY_APP_ID', 'app'],
    ['WECHAT_PAY_MERCHANT_ID', '19x'],
    ['WECHAT_PAY_MERCHANT_SERIAL', 'serial'],
    ['WECHAT_PAY_MERCHANT_KEY', 'no key'],
    ['WECHAT_PAY_MERCHANT_KEY', publicKey],
    ['WECHAT_PAY_MERCHANT_KEY', short.privateKey],
    ['WECHAT_PAY_API_V3_KEY', 'too short'],
    ['WECHAT_PAY_PLATFORM_KEYS', '{}'],
    ['WECHAT_PAY_PLATFORM_KEYS', '[]'],
    ['WECHAT_PAY_PLATFORM_KEYS', JSON.stringify({ PUB_KEY_ID_1: short.publicKey })],
    ['WECHAT_PAY_PLATFORM_KEYS', JSON.stringify({ ABCDEF0123: publicKey })],
    ['WECHAT_PAY_PLATFORM_KEYS', JSON.stringify({ 'an id': publicKey })],
  ])('refuses %s=%s', (name, value) => {
    expect(configFaults({ ...WECHAT, [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name}`)),
    ]);
  });

  it.each([
    ['ALIPAY_APP_ID', 'app'],
    ['ALIPAY_SELLER_ID', '2021000000000001'],
    ['ALIPAY_APP_KEY', bare(publicKey)],
    ['ALIPAY_PUBLIC_KEY', 'AAAA'],
    ['ALIPAY_PUBLIC_KEY', short.publicKey],
    ['ALIPAY_GATEWAY_URL', 'gateway.do'],
    ['ALIPAY_GATEWAY_URL', 'http://alipay.test/gateway.do'],
  ])('refuses %s=%s', (name, value) => {
    expect(configFaults({ ...ALIPAY, [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name}`)),
    ]);
  });
});
