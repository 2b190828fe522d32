import Stripe from 'stripe';
import { type StripeConfig } from '../../config.payments';
import {
  type Acknowledgement,
  type Notification,
  type OpenedOrder,
  type Order,
  type OrderState,
  type PaymentProvider,
  ProviderRefusal,
  ProviderUnavailable,
  type RawNotification,
  type RefundOrder,
  type RefundState,
} from '../payment-provider';
import { checkoutSession, openedSession, paidAtOf, refund, refundStateOf, stateOf } from './stripe-answers';
import { providerErrorOf, StripeRefusal } from './stripe-errors';
import { newHttpClient } from './stripe-http-client';
import { readNotification } from './stripe-webhook';

const TIME_LIMIT_MILLIS = 14_000;
/** Of the time limit: so much for one request, that it can be sent once more. */
const REQUEST_SHARE = 0.45;
const RETRIES = 1;
const PAGE_SIZE = 100;
const JSON_TYPE = 'application/json';
/** What an error says was asked of Stripe. */
const OPENING = 'the opening of a session';
const QUERY = 'a query of a session';
const CLOSING = 'the closing of a session';
const REFUND = 'a refund';
const LISTING = 'a list of refunds';
const EXPAND = ['payment_intent', 'payment_intent.latest_charge'];

export interface StripeOptions {
  /** Of each call. */
  timeLimitMillis?: number;
}

/** Stripe Checkout: the payer is sent to a page of Stripe's. */
export class StripeProvider implements PaymentProvider {
  readonly name = 'card_provider';
  private readonly stripe: Stripe;
  private readonly timeLimitMillis: number;

  constructor(
    private readonly config: StripeConfig,
    { timeLimitMillis = TIME_LIMIT_MILLIS }: StripeOptions = {},
  ) {
    this.timeLimitMillis = timeLimitMillis;
    this.stripe = new Stripe(config.secretKey, {
      ...addressOf(config.apiUrl),
      timeout: Math.ceil(timeLimitMillis * REQUEST_SHARE),
      maxNetworkRetries: RETRIES,
      telemetry: false,
      httpClient: newHttpClient(),
    });
  }

  open(order: Order): Promise<OpenedOrder> {
    return this.ask(OPENING, () => this.openSession(order));
  }

  async query(order: Order): Promise<OrderState> {
    const { providerOrderId } = order;
    // Nobody can have been sent to a page whose address is not known here.
    if (providerOrderId === null) return { status: 'absent' };
    return this.ask(QUERY, () => this.readSession(order, providerOrderId));
  }

  close(order: Order): Promise<OrderState> {
    return this.ask(CLOSING, () => this.closeSession(order));
  }

  refund(refundOrder: RefundOrder): Promise<RefundState> {
    return this.ask(
      REFUND,
      async () => (await this.findRefund(refundOrder)) ?? (await this.createRefund(refundOrder)),
    );
  }

  async verify(notification: RawNotification): Promise<Notification> {
    return readNotification(this.stripe, notification, this.config);
  }

  acknowledge(): Acknowledgement {
    return { status: 200, contentType: JSON_TYPE, body: JSON.stringify({ received: true }) };
  }

  decline(status: number, message: string): Acknowledgement {
    return { status, contentType: JSON_TYPE, body: JSON.stringify({ error: message }) };
  }

  /**
   * The same parameters each time, as Stripe wants of a repetition. When that is too late for a session that ends
   * with the order, or a clock is wrong, the order gets a session without an end of its own, under a key of its
   * own; it ends by being closed, or after a day.
   */
  private async openSession(order: Order): Promise<OpenedOrder> {
    const parameters = sessionOf(order);
    const expires_at = Math.floor(order.expiresAt.getTime() / 1_000);
    try {
      return await this.createSession({ ...parameters, expires_at }, order.paymentId);
    } catch (error) {
      const failure = providerErrorOf(error, OPENING);
      if (!(failure instanceof StripeRefusal) || failure.parameter !== 'expires_at') throw failure;
    }
    return this.createSession(parameters, `${order.paymentId}-open-end`);
  }

  private async createSession(
    parameters: Stripe.Checkout.SessionCreateParams,
    idempotencyKey: string,
  ): Promise<OpenedOrder> {
    const session = await this.stripe.checkout.sessions.create(parameters, { idempotencyKey });
    const { id, url } = openedSession.parse(session);
    return { providerOrderId: id, checkout: { type: 'redirect', url } };
  }

  private async readSession(order: Order, id: string): Promise<OrderState> {
    try {
      return ownState(order, await this.stripe.checkout.sessions.retrieve(id, { expand: EXPAND }));
    } catch (error) {
      return absentOr(error, QUERY);
    }
  }

  private async closeSession(order: Order): Promise<OrderState> {
    const id = order.providerOrderId ?? (await this.findSession(order));
    if (id === null) return { status: 'absent' };
    const state = await this.expireSession(order, id);
    if (state.status === 'open') throw new ProviderUnavailable('Stripe is still at work on the payment.');
    return state;
  }

  /**
   * A session whose opening was not heard of is still found by opening it again: its address may be on its way to
   * the payer from elsewhere. Null when Stripe would not have opened it.
   */
  private async findSession(order: Order): Promise<string | null> {
    try {
      return (await this.openSession(order)).providerOrderId;
    } catch (error) {
      if (providerErrorOf(error, OPENING) instanceof ProviderRefusal) return null;
      throw error;
    }
  }

  /** Only an open session can be expired; of any other it is to be asked what became of it. */
  private async expireSession(order: Order, id: string): Promise<OrderState> {
    try {
      return ownState(order, await this.stripe.checkout.sessions.expire(id, { expand: EXPAND }));
    } catch (error) {
      const failure = providerErrorOf(error, CLOSING);
      if (!(failure instanceof StripeRefusal)) throw failure;
      return this.readSession(order, id);
    }
  }

  /** Stripe forgets an idempotency key after a day, but not a refund's metadata. */
  private async findRefund({ refundId, paymentReference }: RefundOrder): Promise<RefundState | null> {
    try {
      const refunds = this.stripe.refunds.list({ payment_intent: paymentReference, limit: PAGE_SIZE });
      for await (const one of refunds) {
        const known = refund.parse(one);
        if (known.metadata?.refund_id === refundId) return refundStateOf(known);
      }
      return null;
    } catch (error) {
      const failure = providerErrorOf(error, LISTING);
      // That it does not show them is no proof that there is none.
      throw failure instanceof ProviderRefusal ? new ProviderUnavailable(failure.message) : failure;
    }
  }

  private async createRefund({ refundId, paymentReference, amountMinor }: RefundOrder): Promise<RefundState> {
    try {
      const created = await this.stripe.refunds.create(
        {
          payment_intent: paymentReference,
          amount: Number(amountMinor),
          metadata: { refund_id: refundId },
        },
        { idempotencyKey: refundId },
      );
      return refundStateOf(refund.parse(created));
    } catch (error) {
      const failure = providerErrorOf(error, REFUND);
      if (!(failure instanceof StripeRefusal)) throw failure;
      // Another one under this key may have been carried out.
      if (failure.code === 'idempotency_error') throw new ProviderUnavailable(failure.message);
      return { status: 'failed', reason: failure.code };
    }
  }

  /** Within the time limit, with whatever goes wrong as one of the provider's errors. */
  private async ask<T>(what: string, work: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const failure = new ProviderUnavailable(`Stripe does not answer ${what} in time.`);
      timer = setTimeout(() => reject(failure), this.timeLimitMillis);
    });
    try {
      return await Promise.race([work(), late]);
    } catch (error) {
      throw providerErrorOf(error, what);
    } finally {
      clearTimeout(timer);
    }
  }
}

function addressOf(apiUrl: string): { protocol: 'http' | 'https'; host: string; port: string } {
  const { protocol, hostname, port } = new URL(apiUrl);
  const isPlain = protocol === 'http:';
  return {
    protocol: isPlain ? 'http' : 'https',
    // Without the brackets of an IPv6 address.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (isPlain ? '80' : '443'),
  };
}

function sessionOf(order: Order): Stripe.Checkout.SessionCreateParams {
  const metadata = { payment_id: order.paymentId };
  return {
    mode: 'payment',
    client_reference_id: order.paymentId,
    metadata,
    payment_intent_data: { metadata, description: order.description },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: order.currency.toLowerCase(),
          unit_amount: Number(order.amountMinor),
          product_data: { name: order.description },
        },
      },
    ],
    // The wallet is credited in the currency of the order, so it is paid in that.
    adaptive_pricing: { enabled: false },
    success_url: order.returnUrl,
    cancel_url: order.returnUrl,
  };
}

function ownState(order: Order, answer: unknown): OrderState {
  const session = checkoutSession.parse(answer);
  if (session.metadata?.payment_id !== order.paymentId)
    throw new ProviderRefusal('Stripe has another payment under the id of this session.');
  return stateOf(session, paidAtOf(session));
}

function absentOr(error: unknown, call: string): OrderState {
  const failure = providerErrorOf(error, call);
  if (failure instanceof StripeRefusal && failure.status === 404) return { status: 'absent' };
  throw failure;
}
