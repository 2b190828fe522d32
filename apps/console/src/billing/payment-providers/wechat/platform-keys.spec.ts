import { waitFor } from '@inference/testing';
import { Logger } from '@nestjs/common';
import { type ProviderOrder, ProviderUnavailableError, type RawNotification } from '../payment-provider';
import { type WechatConfig } from '../payment-providers.config';
import { PlatformKeys } from './platform-keys';
import { WechatClient } from './wechat-client';
import { type WechatProvider } from './wechat-provider';
import { FakePlatform, type ProxiedAnswer, WechatSandbox } from './wechat.fixture';

const LIST = '/v3/certificates';
const FETCH = `GET ${LIST}`;
const LIMITS = { timeoutMs: 10_000, certificatesTimeoutMs: 10_000, certificatesEveryMs: 0 };
const TEN_MINUTES_MS = 600_000;
const TWENTY_YEARS_MS = 20 * 365 * 86_400_000;
/** With this many requests both of two certificates are used with near certainty. */
const MANY_REQUESTS = 60;
const UNKNOWN_SERIAL = 'AB'.repeat(20);
const SHORT_LIMIT_MS = 300;

describe('platform certificates of WeChat Pay', () => {
  let site: WechatSandbox;
  let first: string;
  let second: string;
  /** The merchant's configuration without the second certificate. */
  let knowingOne: Pick<WechatConfig, 'platformKeys'>;
  let order: ProviderOrder;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    site = await WechatSandbox.start({ certificates: true });
    [first, second] = Object.keys(site.config.platformKeys) as [string, string];
    knowingOne = { platformKeys: { [first]: site.config.platformKeys[first]! } };
  });
  beforeEach(async () => {
    order = await site.openOrder();
    site.proxy.requests.length = 0;
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await site.resetFaults();
  });
  afterAll(async () => {
    await site?.stop();
    Logger.overrideLogger(['log', 'warn', 'error']);
  });

  /** Queries until each certificate has signed a response. */
  const askUntilBoth = async (provider: WechatProvider) => {
    const serials = new Set<string>();
    site.proxy.change = (answer) => {
      serials.add(answer.headers['wechatpay-serial']!);
      return answer;
    };
    for (let asked = 0; asked < MANY_REQUESTS && !(serials.has(first) && serials.has(second)); asked++)
      expect(await provider.query(order)).toEqual({ status: 'open' });
    expect([...serials].sort()).toEqual([first, second].sort());
  };
  /** Queries until a response is rejected. */
  const askUntilRefused = async (provider: WechatProvider): Promise<unknown> => {
    for (let asked = 0; asked < MANY_REQUESTS; asked++) {
      const error: unknown = await provider.query(order).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (error !== null) return error;
    }
    throw new Error('every answer was believed');
  };
  const unknownNotification = (): RawNotification => ({
    headers: {
      'wechatpay-serial': UNKNOWN_SERIAL,
      'wechatpay-timestamp': String(Math.floor(Date.now() / 1000)),
      'wechatpay-nonce': '1',
      'wechatpay-signature': 'AAAA',
    },
    body: Buffer.from('{}'),
  });
  const refused = (provider: WechatProvider) =>
    expect(provider.verify(unknownNotification())).rejects.toMatchObject({ reason: 'signature' });

  it('are all valid during a rotation', async () => {
    await askUntilBoth(site.provider);
    expect(site.proxy.count(FETCH)).toBe(0);
    expect(site.proxy.requests[0]!.headers['wechatpay-serial']).toBeUndefined();
  });

  it('are fetched once for responses under an unknown serial number', async () => {
    const provider = site.providerWith(knowingOne);
    const together = Array.from({ length: MANY_REQUESTS }, () => provider.query(order));
    for (const state of await Promise.all(together)) expect(state).toEqual({ status: 'open' });
    await askUntilBoth(provider);
    expect(site.proxy.count(FETCH)).toBe(1);
  });

  it('are fetched once for notifications under an unknown serial number', async () => {
    site.verifier = site.providerWith(knowingOne);
    await site.sandbox.injectFaults({ duplicate: MANY_REQUESTS });
    await site.sandbox.act(order.paymentId, 'pay');
    const deliveries = await site.deliveries(order, MANY_REQUESTS);
    expect(deliveries.filter(({ acknowledged }) => !acknowledged)).toEqual([]);
    const serials = site.merchant.received.map(({ headers }) => headers['wechatpay-serial']);
    expect([...new Set(serials)].sort()).toEqual([first, second].sort());
    expect(site.proxy.count(FETCH)).toBe(1);
  });

  it('do not vouch for each other', async () => {
    await site.sandbox.act(order.paymentId, 'pay');
    await site.deliveries(order, 1);
    const { headers, body } = site.merchant.received.at(-1)!;
    const other = headers['wechatpay-serial'] === first ? second : first;
    const forged = { headers: { ...headers, 'wechatpay-serial': other }, body };
    await expect(site.provider.verify(forged)).rejects.toMatchObject({ reason: 'signature' });
  });

  it('are fetched once for concurrent calls, and not again at once for an unknown serial number', async () => {
    const provider = site.providerWith();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    site.proxy.change = (answer) => held.then(() => answer);
    const waiting = Array.from({ length: 5 }, () => refused(provider));
    await waitFor(() => site.proxy.count(FETCH) === 1);
    release();
    await Promise.all(waiting);
    for (let again = 0; again < 5; again++) await refused(provider);
    expect(site.proxy.count(FETCH)).toBe(1);
  });

  it('are fetched again after the interval', async () => {
    const provider = site.providerWith({}, { certificatesEveryMs: 0 });
    await refused(provider);
    await refused(provider);
    expect(site.proxy.count(FETCH)).toBe(2);
  });

  it.each<[string, (answer: ProxiedAnswer) => ProxiedAnswer]>([
    ['is changed', (answer) => ({ ...answer, body: `${answer.body} ` })],
    ['is not signed', ({ status, body }) => ({ status, body, headers: {} })],
    ['is garbage', (answer) => ({ ...answer, body: '<html>' })],
    ['holds no certificates', (answer) => ({ ...answer, body: '{"data":[{"serial_no":"A"}]}' })],
    ['is refused', (answer) => ({ ...answer, status: 401, body: '{"code":"SIGN_ERROR","message":""}' })],
  ])('stay unknown when the list %s', async (_name, change) => {
    const provider = site.providerWith(knowingOne, { certificatesEveryMs: 0 });
    site.proxy.change = (answer, path) => (path === LIST ? change(answer) : answer);
    expect(await askUntilRefused(provider)).toBeInstanceOf(ProviderUnavailableError);
    expect(site.proxy.count(FETCH)).toBe(1);
    await askUntilBoth(provider);
  });

  it('stay unknown when the list is outdated', async () => {
    const client = () => new WechatClient({ ...site.config, ...knowingOne }, LIMITS);
    let list: ProxiedAnswer | undefined;
    site.proxy.change = (answer) => (list ??= answer);
    expect(await client().keys.find(second)).not.toBeNull();
    expect(await client().keys.find(second)).not.toBeNull();
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + TEN_MINUTES_MS);
    expect(await client().keys.find(second)).toBeNull();
    expect(site.proxy.count(FETCH)).toBe(3);
  });

  it('stay unknown with another APIv3 key', async () => {
    const provider = site.providerWith({ ...knowingOne, apiV3Key: 'k'.repeat(32) });
    expect(await askUntilRefused(provider)).toBeInstanceOf(ProviderUnavailableError);
  });

  it('are subject to a time limit', async () => {
    const provider = site.providerWith(knowingOne, { certificatesTimeoutMs: SHORT_LIMIT_MS });
    site.proxy.change = (answer, path) => (path === LIST ? new Promise<never>(() => undefined) : answer);
    expect(await askUntilRefused(provider)).toBeInstanceOf(ProviderUnavailableError);
    await refused(provider);
  });

  it('are not valid outside their term', async () => {
    const keys = new PlatformKeys(site.config.platformKeys, () => Promise.resolve({}), 0);
    const now = Date.now();
    expect(Object.keys(keys.validKeys()).sort()).toEqual([first, second].sort());
    for (const offset of [-TWENTY_YEARS_MS, TWENTY_YEARS_MS]) {
      jest.spyOn(Date, 'now').mockReturnValue(now + offset);
      expect(keys.validKeys()).toEqual({});
      expect(await keys.find(first)).toBeNull();
    }
  });

  it('are the only request while no certificate is valid', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + TWENTY_YEARS_MS);
    await expect(site.providerWith().query(order)).rejects.toThrow(ProviderUnavailableError);
    expect(site.proxy.requests.map(({ line }) => line)).toEqual([FETCH]);
  });

  it('are accepted under their own serial number only', async () => {
    const wrong = { [UNKNOWN_SERIAL]: site.config.platformKeys[second]! };
    const keys = new PlatformKeys(knowingOne.platformKeys, () => Promise.resolve(wrong), 0);
    expect(await keys.find(UNKNOWN_SERIAL)).toBeNull();
    expect(() => new PlatformKeys(wrong, () => Promise.resolve({}), 0)).toThrow(UNKNOWN_SERIAL);
  });

  it('are not fetched by a merchant with a public key', async () => {
    const { platformKeys } = new FakePlatform().configured(site.config);
    await refused(site.providerWith({ platformKeys }));
    expect(site.proxy.requests).toEqual([]);
  });
});
