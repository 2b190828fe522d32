import { createCipheriv, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { newId } from '@inference/database';
import { SandboxPayments } from '@inference/sandbox-payments';
import { rememberEnvironment, waitFor } from '@inference/testing';
import { z } from 'zod';
import {
  type InvalidNotificationError,
  type ProviderNotification,
  type ProviderOrder,
  type RawNotification,
  type RefundRequest,
} from '../payment-provider';
import { type WechatConfig, wechatFields, wechatOf } from '../payment-providers.config';
import { type WechatOptions, WechatProvider } from './wechat-provider';

export const NOTIFY_URL = 'http://console.test/api/billing/webhooks/messaging_pay_provider';
const HOUR_MS = 3_600_000;

function wechatConfigOf(environment: Record<string, string>): WechatConfig {
  rememberEnvironment(environment);
  return wechatOf(z.object(wechatFields).parse(environment))!;
}

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

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

abstract class LocalServer {
  url!: string;
  protected abstract readonly server: Server;

  async start(): Promise<this> {
    this.url = await listen(this.server);
    return this;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

export interface ProxiedAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A transparent proxy between merchant and provider that records requests and can change answers. */
export class RecordingProxy extends LocalServer {
  readonly requests: { line: string; headers: IncomingMessage['headers']; body: string }[] = [];
  change: (answer: ProxiedAnswer, path: string) => ProxiedAnswer | Promise<ProxiedAnswer> = (answer) =>
    answer;

  constructor(private readonly upstream: string) {
    super();
  }

  count(line: string): number {
    return this.requests.filter((request) => request.line === line).length;
  }

  protected readonly server = createServer((request, response) => {
    void this.pass(request).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      () => response.destroy(),
    );
  });

  private async pass(request: IncomingMessage): Promise<ProxiedAnswer> {
    const body = await bodyOf(request);
    this.requests.push({
      line: `${request.method} ${request.url}`,
      headers: request.headers,
      body: body.toString(),
    });
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers;
    const answer = await fetch(this.upstream + request.url, {
      method: request.method!,
      headers: headers as Record<string, string>,
      ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
    });
    const kept = [...answer.headers].filter(([name]) => /^(wechatpay|content-type)/.test(name));
    const passed = { status: answer.status, headers: Object.fromEntries(kept), body: await answer.text() };
    return this.change(passed, request.url!);
  }
}

type Received = RawNotification & { outcome: ProviderNotification | InvalidNotificationError };

/** The merchant's webhook: verifies notifications and answers through the provider. */
class MerchantWebhook extends LocalServer {
  readonly received: Received[] = [];

  constructor(private readonly provider: () => WechatProvider) {
    super();
  }

  protected readonly server = createServer((request, response) => {
    void this.receive(request).then(({ status, contentType, body }) =>
      response.writeHead(status, { 'Content-Type': contentType }).end(body),
    );
  });

  private async receive(request: IncomingMessage) {
    const raw = { headers: request.headers, body: await bodyOf(request) };
    try {
      const outcome = await this.provider().verify(raw);
      this.received.push({ ...raw, outcome });
      return this.provider().acknowledge();
    } catch (error) {
      this.received.push({ ...raw, outcome: error as InvalidNotificationError });
      return this.provider().reject(401, (error as Error).message);
    }
  }
}

/** A sandbox behind a recording proxy, and a merchant's webhook that receives its notifications. */
export class WechatSandbox {
  readonly provider: WechatProvider;
  readonly merchant = new MerchantWebhook(() => this.verifier);
  /** Verifies the notifications that the webhook receives. */
  verifier: WechatProvider;

  private constructor(
    readonly sandbox: SandboxPayments,
    readonly proxy: RecordingProxy,
    readonly config: WechatConfig,
  ) {
    this.provider = this.verifier = this.providerWith();
  }

  static async start(options: { certificates?: boolean } = {}): Promise<WechatSandbox> {
    const sandbox = await SandboxPayments.start({ site: 'cn', ...options });
    const proxy = await new RecordingProxy(sandbox.url).start();
    const config = { ...wechatConfigOf(sandbox.consoleEnvironment()), apiUrl: proxy.url };
    const started = new WechatSandbox(sandbox, proxy, config);
    await started.merchant.start();
    await sandbox.deliverTo(started.merchant.url);
    return started;
  }

  providerWith(
    changes: Partial<WechatConfig> = {},
    options: Omit<WechatOptions, 'notifyUrl'> = {},
  ): WechatProvider {
    return new WechatProvider({ ...this.config, ...changes }, { notifyUrl: NOTIFY_URL, ...options });
  }

  async openOrder(changes: Partial<ProviderOrder> = {}): Promise<ProviderOrder> {
    const order = newOrder(changes);
    await this.provider.open(order);
    return order;
  }

  async payOrder(): Promise<ProviderOrder> {
    const order = await this.openOrder();
    await this.sandbox.act(order.paymentId, 'pay');
    return order;
  }

  async refundOf(order: ProviderOrder, changes: Partial<RefundRequest> = {}): Promise<RefundRequest> {
    return {
      refundId: newId('ref'),
      order,
      paymentReference: (await this.sandbox.order(order.paymentId)).reference,
      amountMinor: order.amountMinor,
      reason: 'asked for',
      ...changes,
    };
  }

  /** Waits for `count` deliveries about the order and returns them. */
  async deliveries(order: ProviderOrder, count: number) {
    const sent = async () => (await this.sandbox.order(order.paymentId)).deliveries;
    await waitFor(async () => (await sent()).length >= count);
    return sent();
  }

  async resetFaults(): Promise<void> {
    this.proxy.change = (answer) => answer;
    this.verifier = this.provider;
    await this.sandbox.injectFaults();
  }

  async stop(): Promise<void> {
    this.proxy.close();
    this.merchant.close();
    await this.sandbox.kill();
  }
}

export interface Forgery {
  /** The platform's own by default. */
  serial?: string;
  /** Unix time in seconds; now by default. */
  timestamp?: string | number;
  /** The merchant's by default. */
  apiV3Key?: string;
  /** The JSON of an event by default. */
  body?: string;
}

/** A fake WeChat Pay with a known private key, for signed messages that the sandbox does not produce. */
export class FakePlatform {
  readonly id = `PUB_KEY_ID_${'0'.repeat(30)}7`;
  private readonly keys = generateKeyPairSync('rsa', { modulusLength: 2048 });

  /** The merchant's configuration with this platform's keys. */
  configured(config: WechatConfig): WechatConfig {
    const pem = this.keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    return { ...config, platformKeys: { [this.id]: pem } };
  }

  /** A notification with this content, encrypted and signed. */
  notification(
    config: WechatConfig,
    event: string,
    content: unknown,
    forgery: Forgery = {},
  ): RawNotification {
    const plaintext = typeof content === 'string' ? content : JSON.stringify(content);
    const resource = encrypt(plaintext, forgery.apiV3Key ?? config.apiV3Key);
    const body =
      forgery.body ??
      JSON.stringify({ id: 'EV-1', event_type: event, resource_type: 'encrypt-resource', resource });
    const timestamp = String(forgery.timestamp ?? Math.floor(Date.now() / 1000));
    const nonce = randomBytes(16).toString('hex');
    const signature = createSign('RSA-SHA256')
      .update(`${timestamp}\n${nonce}\n${body}\n`)
      .sign(this.keys.privateKey, 'base64');
    return {
      headers: {
        'wechatpay-serial': forgery.serial ?? this.id,
        'wechatpay-timestamp': timestamp,
        'wechatpay-nonce': nonce,
        'wechatpay-signature': signature,
      },
      body: Buffer.from(body),
    };
  }
}

function encrypt(plaintext: string, key: string) {
  const nonce = randomBytes(6).toString('hex');
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from('transaction'));
  const sealed = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return {
    algorithm: 'AEAD_AES_256_GCM',
    ciphertext: sealed.toString('base64'),
    nonce,
    associated_data: 'transaction',
  };
}
