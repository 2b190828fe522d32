import Stripe from 'stripe';
import {
  type Acknowledgement,
  type OpenedOrder,
  type OrderState,
  type PaymentProvider,
  type ProviderNotification,
  type ProviderOrder,
  ProviderRefusedError,
  ProviderUnavailableError,
  type RawNotification,
  type RefundRequest,
  type RefundState,
} from '../payment-provider';
import { type StripeConfig } from '../payment-providers.config';
import { providerErrorOf, StripeRefusedError } from './stripe-errors';
import {
  checkoutSession,
  openedSession,
  orderStateOf,
  paidAtOf,
  refund,
  refundStateOf,
} from './stripe-objects';
import { readNotification } from './stripe-notification';

/** Below the 15 s that a provider call may take. */
const TIME_LIMIT_MILLIS = 14_000;
/** Share of the time limit for one request, so that one retry fits. */
const REQUEST_SHARE = 0.45;
const RETRIES = 1;
const PAGE_SIZE = 100;
const JSON_TYPE = 'application/json';
/** Names of the calls in error messages. */
const OPENING = 'the opening of a session';
const QUERY = 'a query of a session';
const CLOSING = 'the closing of a session';
const REFUND = 'a refund';
const LISTING = 'a list of refunds';
const EXPAND = ['payment_intent', 'payment_intent.latest_charge'];

export interface StripeOptions {
  /** Time limit of each call. */
  timeLimitMillis?: number;
}

/** Stripe Checkout: the payer is redirected to a page at Stripe. */
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
      httpClient: createStripeHttpClient(),
    });
  }

  open(order: ProviderOrder): Promise<OpenedOrder> {
    return this.withTimeLimit(OPENING, () => this.openSession(order));
  }

  async query(order: ProviderOrder): Promise<OrderState> {
    const { providerOrderId } = order;
    // Without the session's id no payer was redirected to its page.
    if (providerOrderId === null) return { status: 'absent' };
    return this.withTimeLimit(QUERY, () => this.readSession(order, providerOrderId));
  }

  close(order: ProviderOrder): Promise<OrderState> {
    return this.withTimeLimit(CLOSING, () => this.closeSession(order));
  }

  refund(refundOrder: RefundRequest): Promise<RefundState> {
    return this.withTimeLimit(
      REFUND,
      async () => (await this.findRefund(refundOrder)) ?? (await this.createRefund(refundOrder)),
    );
  }

  async verify(notification: RawNotification): Promise<ProviderNotification> {
    return readNotification(this.stripe, notification, this.config);
  }

  acknowledge(): Acknowledgement {
    return { status: 200, contentType: JSON_TYPE, body: JSON.stringify({ received: true }) };
  }

  reject(status: number, message: string): Acknowledgement {
    return { status, contentType: JSON_TYPE, body: JSON.stringify({ error: message }) };
  }

  /**
   * Sends the same parameters each time, as Stripe requires under one idempotency key. If Stripe refuses `expires_at`
   * (too close to now, or a clock is wrong), opens a session without it under a second key. Such a session ends when it
   * is closed, or after a day.
   */
  private async openSession(order: ProviderOrder): Promise<OpenedOrder> {
    const parameters = sessionOf(order);
    const expires_at = Math.floor(order.expiresAt.getTime() / 1_000);
    try {
      return await this.createSession({ ...parameters, expires_at }, order.paymentId);
    } catch (error) {
      const failure = providerErrorOf(error, OPENING);
      if (!(failure instanceof StripeRefusedError) || failure.parameter !== 'expires_at') throw failure;
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

  private async readSession(order: ProviderOrder, id: string): Promise<OrderState> {
    try {
      return orderStateOfAnswer(order, await this.stripe.checkout.sessions.retrieve(id, { expand: EXPAND }));
    } catch (error) {
      return absentOrThrow(error, QUERY);
    }
  }

  private async closeSession(order: ProviderOrder): Promise<OrderState> {
    const id = order.providerOrderId ?? (await this.findSession(order));
    if (id === null) return { status: 'absent' };
    const state = await this.expireSession(order, id);
    if (state.status === 'open')
      throw new ProviderUnavailableError('Stripe is still processing the payment.');
    return state;
  }

  /**
   * Finds a session whose id was never received by opening it again under the same key, since another request may have
   * returned its page to the payer. Null if Stripe refuses to open it.
   */
  private async findSession(order: ProviderOrder): Promise<string | null> {
    try {
      return (await this.openSession(order)).providerOrderId;
    } catch (error) {
      if (providerErrorOf(error, OPENING) instanceof ProviderRefusedError) return null;
      throw error;
    }
  }

  /** Only an open session can be expired; any other is read for its state. */
  private async expireSession(order: ProviderOrder, id: string): Promise<OrderState> {
    try {
      return orderStateOfAnswer(order, await this.stripe.checkout.sessions.expire(id, { expand: EXPAND }));
    } catch (error) {
      const failure = providerErrorOf(error, CLOSING);
      if (!(failure instanceof StripeRefusedError)) throw failure;
      return this.readSession(order, id);
    }
  }

  /** Finds a refund by its metadata: Stripe drops idempotency keys after a day. */
  private async findRefund({ refundId, paymentReference }: RefundRequest): Promise<RefundState | null> {
    try {
      const refunds = this.stripe.refunds.list({ payment_intent: paymentReference, limit: PAGE_SIZE });
      for await (const one of refunds) {
        const known = refund.parse(one);
        if (known.metadata?.refund_id === refundId) return refundStateOf(known);
      }
      return null;
    } catch (error) {
      const failure = providerErrorOf(error, LISTING);
      // A refused list does not prove that there is no refund.
      throw failure instanceof ProviderRefusedError ? new ProviderUnavailableError(failure.message) : failure;
    }
  }

  private async createRefund({
    refundId,
    paymentReference,
    amountMinor,
  }: RefundRequest): Promise<RefundState> {
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
      if (!(failure instanceof StripeRefusedError)) throw failure;
      // A different refund may have been made under this key.
      if (failure.code === 'idempotency_error') throw new ProviderUnavailableError(failure.message);
      return { status: 'failed', reason: failure.code };
    }
  }

  /** Enforces the time limit and maps every error to a provider error. */
  private async withTimeLimit<T>(what: string, work: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const failure = new ProviderUnavailableError(`Stripe does not answer ${what} in time.`);
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
    // The library expects an IPv6 address without brackets.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (isPlain ? '80' : '443'),
  };
}

function sessionOf(order: ProviderOrder): Stripe.Checkout.SessionCreateParams {
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
    // The wallet is credited in the order's currency, so the payer must pay in it.
    adaptive_pricing: { enabled: false },
    success_url: order.returnUrl,
    cancel_url: order.returnUrl,
  };
}

function orderStateOfAnswer(order: ProviderOrder, answer: unknown): OrderState {
  const session = checkoutSession.parse(answer);
  if (session.metadata?.payment_id !== order.paymentId)
    throw new ProviderRefusedError('The session belongs to another payment.');
  return orderStateOf(session, paidAtOf(session));
}

function absentOrThrow(error: unknown, call: string): OrderState {
  const failure = providerErrorOf(error, call);
  if (failure instanceof StripeRefusedError && failure.status === 404) return { status: 'absent' };
  throw failure;
}

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

/**
 * The library's client, except that a JSON body that is not an object is rejected here. The library throws on such a body
 * outside of the call's promise, so the call would never end.
 */
function createStripeHttpClient(): HttpClient {
  const client = Stripe.createNodeHttpClient();
  return {
    getClientName: () => client.getClientName(),
    makeRequest: async (...request) => {
      const response = await client.makeRequest(...request);
      const read = response.toJSON.bind(response);
      response.toJSON = async () => {
        const body: unknown = await read();
        if (body === null || typeof body !== 'object') throw new SyntaxError('It is not an object.');
        return body;
      };
      return response;
    },
  };
}
