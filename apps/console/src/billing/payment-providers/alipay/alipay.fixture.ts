import { createSign, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { newId } from '@inference/database';
import { SandboxPayments } from '@inference/sandbox-payments';
import { rememberEnvironment, rememberSecret, waitFor } from '@inference/testing';
import { z } from 'zod';
import { type ProviderNotification, type ProviderOrder, type RefundRequest } from '../payment-provider';
import { type AlipayConfig, alipayFields, alipayOf } from '../payment-providers.config';
import { AlipayProvider } from './alipay-provider';
import { formatChinaTime } from './alipay-trade';

export const NOTIFY_URL = 'http://console.test/api/billing/webhooks/wallet_pay_provider';
const HOUR_MS = 3_600_000;
const DRIP_MS = 50;
const SELLER_ID = '2088123412341234';
const APP_ID = '2021000012341234';

export const newPrivateKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();

export const newOrder = (changes: Partial<ProviderOrder> = {}): ProviderOrder => ({
  paymentId: newId('pay'),
  amountMinor: 12_345n,
  currency: 'CNY',
  description: '账户充值',
  expiresAt: new Date(Date.now() + HOUR_MS),
  returnUrl: 'http://console.test/',
  providerOrderId: null,
  ...changes,
});

export const refundOf = (
  order: ProviderOrder,
  reference: string,
  changes: Partial<RefundRequest> = {},
): RefundRequest => ({
  refundId: newId('rfd'),
  order,
  paymentReference: reference,
  amountMinor: order.amountMinor,
  reason: '客户要求',
  ...changes,
});

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function originOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Received {
  body: Buffer;
  /** The provider's result: a notification or an error. */
  outcome: ProviderNotification | Error;
}

/** A sandbox and a merchant's webhook that answers notifications through the provider. */
export class AlipaySandbox {
  readonly provider: AlipayProvider;
  readonly received: Received[] = [];
  private readonly server = createServer((request, response) => {
    void this.receive(request).then(({ status, contentType, body }) =>
      response.writeHead(status, { 'Content-Type': contentType }).end(body),
    );
  });

  private constructor(
    readonly sandbox: SandboxPayments,
    readonly config: AlipayConfig,
  ) {
    this.provider = this.providerWith();
  }

  static async start(): Promise<AlipaySandbox> {
    const sandbox = await SandboxPayments.start({ site: 'cn' });
    const environment = sandbox.consoleEnvironment();
    rememberEnvironment(environment);
    const config = alipayOf(z.object(alipayFields).parse(environment))!;
    const site = new AlipaySandbox(sandbox, config);
    await sandbox.deliverTo(await originOf(site.server));
    return site;
  }

  providerWith(changes: Partial<AlipayConfig> = {}, callLimitMs?: number): AlipayProvider {
    return new AlipayProvider(
      { ...this.config, ...changes },
      { notifyUrl: NOTIFY_URL, ...(callLimitMs !== undefined && { callLimitMs }) },
    );
  }

  async openOrder(changes: Partial<ProviderOrder> = {}): Promise<ProviderOrder> {
    const order = newOrder(changes);
    await this.provider.open(order);
    return order;
  }

  async payOrder(changes: Partial<ProviderOrder> = {}): Promise<ProviderOrder> {
    const order = await this.openOrder(changes);
    await this.sandbox.act(order.paymentId, 'pay');
    return order;
  }

  /** A request for a full refund. */
  async refundOf(order: ProviderOrder, changes: Partial<RefundRequest> = {}): Promise<RefundRequest> {
    return refundOf(order, (await this.sandbox.order(order.paymentId)).reference, changes);
  }

  /** Waits for the first `count` notifications of the order and returns them with their results. */
  notifications({ paymentId }: ProviderOrder, count = 1): Promise<Received[]> {
    return waitFor(() => {
      const about = this.received.filter(({ body }) => body.toString().includes(paymentId));
      return about.length >= count ? about : null;
    });
  }

  /** The deliveries as the sandbox recorded them. */
  deliveries({ paymentId }: ProviderOrder, count = 1) {
    return waitFor(async () => {
      const { deliveries } = await this.sandbox.order(paymentId);
      return deliveries.length >= count ? deliveries : null;
    });
  }

  async stop(): Promise<void> {
    await this.sandbox.stop();
    this.server.closeAllConnections();
    this.server.close();
  }

  private async receive(request: IncomingMessage) {
    const body = await bodyOf(request);
    try {
      const outcome = await this.provider.verify({ headers: request.headers, body });
      this.received.push({ body, outcome });
      return this.provider.acknowledge();
    } catch (error) {
      this.received.push({ body, outcome: error as Error });
      return this.provider.reject(400);
    }
  }
}

type Algorithm = 'RSA-SHA256' | 'RSA-SHA1';
export type Answer = string | ((method: string, content: Record<string, string>) => string);

/** A fake Alipay with a known private key, for signed messages that the sandbox does not produce. */
export class FakeAlipay {
  private readonly keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  /** The text of the following answers. */
  answer: Answer = '';
  /** Sends pieces of an answer that never ends. */
  drips = false;
  readonly methods: string[] = [];
  config!: AlipayConfig;
  provider!: AlipayProvider;
  private readonly server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const method = new URL(request.url!, 'http://alipay.test').searchParams.get('method')!;
      this.methods.push(method);
      const content = JSON.parse(new URLSearchParams(body.toString()).get('biz_content')!) as object;
      const { answer } = this;
      if (this.drips) return this.drip(response);
      response.end(typeof answer === 'string' ? answer : answer(method, { ...content }));
    });
  });

  async start(): Promise<this> {
    rememberSecret(this.keys.privateKey);
    this.config = {
      gatewayUrl: `${await originOf(this.server)}/gateway.do`,
      appId: APP_ID,
      sellerId: SELLER_ID,
      // Requests may be signed with the same key, since their signatures are not verified here.
      appKey: this.keys.privateKey,
      alipayPublicKey: this.keys.publicKey,
    };
    this.provider = new AlipayProvider(this.config, { notifyUrl: NOTIFY_URL });
    return this;
  }

  private drip(response: ServerResponse): void {
    const timer = setInterval(() => response.write(' '), DRIP_MS);
    response.on('close', () => clearInterval(timer));
  }

  sign(content: string, algorithm: Algorithm = 'RSA-SHA256'): string {
    return createSign(algorithm).update(content).sign(this.keys.privateKey, 'base64');
  }

  /** A signed answer to a call of this method. */
  signedAnswer(method: string, fields: object): string {
    const inner = JSON.stringify(fields);
    return `{"${method.replaceAll('.', '_')}_response":${inner},"sign":"${this.sign(inner)}"}`;
  }

  /** The signed fields of a notification that an order of 123.45 was paid. */
  notification(
    changes: Record<string, string | undefined> = {},
    algorithm?: Algorithm,
  ): Record<string, string> {
    const given = { ...paidFields(), ...changes };
    const fields = Object.fromEntries(
      Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const content = Object.keys(fields)
      .filter((name) => name !== 'sign_type')
      .sort()
      .map((name) => `${name}=${fields[name]}`)
      .join('&');
    return { ...fields, sign: this.sign(content, algorithm) };
  }

  verify(fields: Record<string, string> | string): Promise<ProviderNotification> {
    const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString();
    return this.provider.verify({ headers: {}, body: Buffer.from(body) });
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const paidFields = (): Record<string, string> => ({
  app_id: APP_ID,
  buyer_id: '2088000011112222',
  buyer_logon_id: '159****5620',
  charset: 'utf-8',
  fund_bill_list: '[{"amount":"123.45","fundChannel":"ALIPAYACCOUNT"}]',
  gmt_create: '2026-06-08 10:34:50',
  gmt_payment: '2026-06-08 10:34:56',
  notify_id: 'ac05099524730693a8b330c5ecf72da9786',
  notify_time: formatChinaTime(new Date()),
  notify_type: 'trade_status_sync',
  out_trade_no: 'pay_1234567890',
  seller_id: SELLER_ID,
  sign_type: 'RSA2',
  subject: '充值 100%+',
  total_amount: '123.45',
  trade_no: '2026060822001004330000121536',
  trade_status: 'TRADE_SUCCESS',
  version: '1.0',
});
