import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { SandboxPayments } from '@inference/sandbox-payments';
import { findFreePort, rememberEnvironment, waitFor } from '@inference/testing';
import Stripe from 'stripe';
import { type ProviderOrder, type RawNotification } from '../payment-provider';
import { type StripeConfig } from '../payment-providers.config';
import { StripeProvider } from './stripe-provider';

const HOUR_MILLIS = 3_600_000;

const newId = (prefix: string) => prefix + randomBytes(10).toString('hex');

export function newOrder(change: Partial<ProviderOrder> = {}): ProviderOrder {
  return {
    paymentId: newId('pay_'),
    amountMinor: 2_000n,
    currency: 'USD',
    description: 'Inference Platform',
    expiresAt: new Date(Date.now() + HOUR_MILLIS),
    returnUrl: 'https://console.example.com/billing',
    providerOrderId: null,
    ...change,
  };
}

/** The provider connected to a sandbox that speaks Stripe's protocol. */
export class StripeSandbox {
  private constructor(
    readonly sandbox: SandboxPayments,
    readonly config: StripeConfig,
    readonly provider: StripeProvider,
  ) {}

  static async start(file?: string): Promise<StripeSandbox> {
    const port = await findFreePort();
    const sandbox = await SandboxPayments.start({ site: 'intl', port, ...(file !== undefined && { file }) });
    const environment = sandbox.consoleEnvironment();
    rememberEnvironment(environment);
    const config = {
      apiUrl: environment.STRIPE_API_URL!,
      secretKey: environment.STRIPE_SECRET_KEY!,
      webhookSecrets: environment.STRIPE_WEBHOOK_SECRETS!.split(','),
    };
    return new StripeSandbox(sandbox, config, new StripeProvider(config));
  }

  /** An order after `open`. */
  async openOrder(change: Partial<ProviderOrder> = {}): Promise<ProviderOrder> {
    const order = newOrder(change);
    const { providerOrderId } = await this.provider.open(order);
    return { ...order, providerOrderId };
  }

  async payOrder(change: Partial<ProviderOrder> = {}): Promise<{ order: ProviderOrder; reference: string }> {
    const order = await this.openOrder(change);
    const { reference } = await this.sandbox.act(order.paymentId, 'pay');
    return { order, reference };
  }

  refundOf(
    { order, reference }: { order: ProviderOrder; reference: string },
    amountMinor = order.amountMinor,
  ) {
    return { refundId: newId('ref_'), order, paymentReference: reference, amountMinor, reason: null };
  }

  /** A notification with this event or text, by default signed by Stripe's secret now. */
  signed(event: unknown, { secondsAgo = 0, secret = this.config.webhookSecrets[0]! } = {}): RawNotification {
    const payload = typeof event === 'string' ? event : JSON.stringify(event);
    const timestamp = Math.floor(Date.now() / 1_000) - secondsAgo;
    const { webhooks } = new Stripe(this.config.secretKey);
    const header = webhooks.generateTestHeaderString({ payload, secret, timestamp });
    return { headers: { 'stripe-signature': header }, body: Buffer.from(payload) };
  }
}

/** A webhook that records the raw notifications and acknowledges them all. */
export class NotificationInbox {
  readonly notifications: RawNotification[] = [];
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        this.notifications.push({ headers: request.headers, body });
        response.end('{}');
      });
    });
  }

  static async start(): Promise<NotificationInbox> {
    const inbox = new NotificationInbox();
    await listen(inbox.server);
    return inbox;
  }

  get origin(): string {
    return originOf(this.server);
  }

  /** Waits for the next notification about this payment and removes it. */
  take(paymentId: string): Promise<RawNotification> {
    return waitFor(() => {
      const index = this.notifications.findIndex(({ body }) => body.includes(paymentId));
      return index < 0 ? null : this.notifications.splice(index, 1)[0];
    });
  }

  stop(): Promise<void> {
    return close(this.server);
  }
}

export interface ScriptedAnswer {
  status?: number;
  body: unknown;
}

/** A fake Stripe API with scripted answers by method and path. An unexpected request fails the test. */
export class ScriptedStripe {
  answers: Record<string, ScriptedAnswer> = {};
  /** The idempotency keys of the received requests. */
  keys: unknown[] = [];
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      const call = `${request.method} ${request.url!.split('?')[0]}`;
      if (request.method === 'POST') this.keys.push(request.headers['idempotency-key']);
      const { status = 200, body } = this.answers[call] ?? { status: 501, body: `no answer to ${call}` };
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  }

  static async start(): Promise<ScriptedStripe> {
    const scripted = new ScriptedStripe();
    await listen(scripted.server);
    return scripted;
  }

  provider(timeLimitMillis?: number): StripeProvider {
    const config = { apiUrl: originOf(this.server), secretKey: 'sk_test_scripted', webhookSecrets: [] };
    return new StripeProvider(config, timeLimitMillis === undefined ? {} : { timeLimitMillis });
  }

  stop(): Promise<void> {
    return close(this.server);
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const listen = (server: Server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const close = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
