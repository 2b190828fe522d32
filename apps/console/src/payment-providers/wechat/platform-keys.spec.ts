import { Logger } from '@nestjs/common';
import { waitFor } from '@inference/testing';
import { type WechatConfig } from '../../config.payments';
import { type Order, ProviderUnavailable, type RawNotification } from '../payment-provider';
import { PlatformKeys } from './platform-keys';
import { OwnPlatform, type RelayedAnswer, WechatSandbox } from './wechat.fixture';
import { WechatClient } from './wechat-client';
import { type WechatProvider } from './wechat-provider';

const LIST = '/v3/certificates';
const FETCH = `GET ${LIST}`;
const LIMITS = { timeoutMs: 10_000, certificatesTimeoutMs: 10_000, certificatesEveryMs: 0 };
const TEN_MINUTES_MS = 600_000;
const TWENTY_YEARS_MS = 20 * 365 * 86_400_000;
/** So many of them are under both of two certificates, as good as always. */
const MANY = 60;
const UNKNOWN_SERIAL = 'AB'.repeat(20);
const IMPATIENT_MS = 300;

describe("WeChat Pay's certificates", () => {
  let site: WechatSandbox;
  let first: string;
  let second: string;
  /** The merchant's configuration without the second. */
  let knowingOne: Pick<WechatConfig, 'platformKeys'>;
  let order: Order;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    site = await WechatSandbox.start({ certificates: true });
    [first, second] = Object.keys(site.config.platformKeys) as [string, string];
    knowingOne = { platformKeys: { [first]: site.config.platformKeys[first]! } };
  });
  beforeEach(async () => {
    order = await site.opened();
    site.relay.requests.length = 0;
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await site.behave();
  });
  afterAll(async () => {
    await site?.stop();
    Logger.overrideLogger(['log', 'warn', 'error']);
  });

  /** Asks until each certificate has signed an answer. */
  const askUntilBoth = async (provider: WechatProvider) => {
    const serials = new Set<string>();
    site.relay.change = (answer) => {
      serials.add(answer.headers['wechatpay-serial']!);
      return answer;
    };
    for (let asked = 0; asked < MANY && !(serials.has(first) && serials.has(second)); asked++)
      expect(await provider.query(order)).toEqual({ status: 'open' });
    expect([...serials].sort()).toEqual([first, second].sort());
  };
  /** Asks until an answer is not believed. */
  const askUntilRefused = async (provider: WechatProvider): Promise<unknown> => {
    for (let asked = 0; asked < MANY; asked++) {
      const error: unknown = await provider.query(order).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (error !== null) return error;
    }
    throw new Error('every answer was believed');
  };
  const stranger = (): RawNotification => ({
    headers: {
      'wechatpay-serial': UNKNOWN_SERIAL,
      'wechatpay-timestamp': String(Math.floor(Date.now() / 1000)),
      'wechatpay-nonce': '1',
      'wechatpay-signature': 'AAAA',
    },
    body: Buffer.from('{}'),
  });
  const refused = (provider: WechatProvider) =>
    expect(provider.verify(stranger())).rejects.toMatchObject({ fault: 'signature' });

  it('all count while one replaces another', async () => {
    await askUntilBoth(site.provider);
    expect(site.relay.count(FETCH)).toBe(0);
    expect(site.relay.requests[0]!.headers['wechatpay-serial']).toBeUndefined();
  });

  it('are fetched once when an answer comes under one that is not known', async () => {
    const provider = site.providerWith(knowingOne);
    const together = Array.from({ length: MANY }, () => provider.query(order));
    for (const state of await Promise.all(together)) expect(state).toEqual({ status: 'open' });
    await askUntilBoth(provider);
    expect(site.relay.count(FETCH)).toBe(1);
  });

  it('are fetched once when notifications come under one that is not known', async () => {
    site.verifier = site.providerWith(knowingOne);
    await site.sandbox.tell({ duplicate: MANY });
    await site.sandbox.act(order.paymentId, 'pay');
    const deliveries = await site.deliveries(order, MANY);
    expect(deliveries.filter(({ acknowledged }) => !acknowledged)).toEqual([]);
    const serials = site.merchant.received.map(({ headers }) => headers['wechatpay-serial']);
    expect([...new Set(serials)].sort()).toEqual([first, second].sort());
    expect(site.relay.count(FETCH)).toBe(1);
  });

  it('do not vouch for one another', async () => {
    await site.sandbox.act(order.paymentId, 'pay');
    await site.deliveries(order, 1);
    const { headers, body } = site.merchant.received.at(-1)!;
    const other = headers['wechatpay-serial'] === first ? second : first;
    const forged = { headers: { ...headers, 'wechatpay-serial': other }, body };
    await expect(site.provider.verify(forged)).rejects.toMatchObject({ fault: 'signature' });
  });

  it('are fetched for all who wait, and not again soon for a name that nobody knows', async () => {
    const provider = site.providerWith();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    site.relay.change = (answer) => held.then(() => answer);
    const waiting = Array.from({ length: 5 }, () => refused(provider));
    await waitFor(() => site.relay.count(FETCH) === 1);
    release();
    await Promise.all(waiting);
    for (let again = 0; again < 5; again++) await refused(provider);
    expect(site.relay.count(FETCH)).toBe(1);
  });

  it('are fetched again after a while', async () => {
    const provider = site.providerWith({}, { certificatesEveryMs: 0 });
    await refused(provider);
    await refused(provider);
    expect(site.relay.count(FETCH)).toBe(2);
  });

  it.each<[string, (answer: RelayedAnswer) => RelayedAnswer]>([
    ['is changed', (answer) => ({ ...answer, body: `${answer.body} ` })],
    ['is not signed', ({ status, body }) => ({ status, body, headers: {} })],
    ['is garbage', (answer) => ({ ...answer, body: '<html>' })],
    ['holds no certificates', (answer) => ({ ...answer, body: '{"data":[{"serial_no":"A"}]}' })],
    ['is refused', (answer) => ({ ...answer, status: 401, body: '{"code":"SIGN_ERROR","message":""}' })],
  ])('stay unknown when the list %s', async (_name, change) => {
    const provider = site.providerWith(knowingOne, { certificatesEveryMs: 0 });
    site.relay.change = (answer, path) => (path === LIST ? change(answer) : answer);
    expect(await askUntilRefused(provider)).toBeInstanceOf(ProviderUnavailable);
    expect(site.relay.count(FETCH)).toBe(1);
    await askUntilBoth(provider);
  });

  it('stay unknown when the list is an old one', async () => {
    const client = () => new WechatClient({ ...site.config, ...knowingOne }, LIMITS);
    let list: RelayedAnswer | undefined;
    site.relay.change = (answer) => (list ??= answer);
    expect(await client().keys.find(second)).not.toBeNull();
    expect(await client().keys.find(second)).not.toBeNull();
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + TEN_MINUTES_MS);
    expect(await client().keys.find(second)).toBeNull();
    expect(site.relay.count(FETCH)).toBe(3);
  });

  it('stay unknown with another APIv3 key', async () => {
    const provider = site.providerWith({ ...knowingOne, apiV3Key: 'k'.repeat(32) });
    expect(await askUntilRefused(provider)).toBeInstanceOf(ProviderUnavailable);
  });

  it('are not waited for for long', async () => {
    const provider = site.providerWith(knowingOne, { certificatesTimeoutMs: IMPATIENT_MS });
    site.relay.change = (answer, path) => (path === LIST ? new Promise<never>(() => undefined) : answer);
    expect(await askUntilRefused(provider)).toBeInstanceOf(ProviderUnavailable);
    await refused(provider);
  });

  it('are not believed before and after their time', async () => {
    const keys = new PlatformKeys(site.config.platformKeys, () => Promise.resolve({}), 0);
    const now = Date.now();
    expect(Object.keys(keys.inForce()).sort()).toEqual([first, second].sort());
    for (const offset of [-TWENTY_YEARS_MS, TWENTY_YEARS_MS]) {
      jest.spyOn(Date, 'now').mockReturnValue(now + offset);
      expect(keys.inForce()).toEqual({});
      expect(await keys.find(first)).toBeNull();
    }
  });

  it('are asked for when none is in force any more, and nothing else is', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + TWENTY_YEARS_MS);
    await expect(site.providerWith().query(order)).rejects.toThrow(ProviderUnavailable);
    expect(site.relay.requests.map(({ line }) => line)).toEqual([FETCH]);
  });

  it('are taken under no serial number but their own', async () => {
    const wrong = { [UNKNOWN_SERIAL]: site.config.platformKeys[second]! };
    const keys = new PlatformKeys(knowingOne.platformKeys, () => Promise.resolve(wrong), 0);
    expect(await keys.find(UNKNOWN_SERIAL)).toBeNull();
    expect(() => new PlatformKeys(wrong, () => Promise.resolve({}), 0)).toThrow(UNKNOWN_SERIAL);
  });

  it('are not asked for by a merchant who has a public key', async () => {
    const { platformKeys } = new OwnPlatform().configured(site.config);
    await refused(site.providerWith({ platformKeys }));
    expect(site.relay.requests).toEqual([]);
  });
});
