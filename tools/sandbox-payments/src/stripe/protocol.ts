import { createHash } from 'node:crypto';
import { ConnectionReset } from '../injected-faults';
import { newReference, type OrderBook } from '../orders/order-book';
import { type Order } from '../orders/order';
import { type StripeAccount } from '../credentials/provider-accounts';
import {
  type ApiCall,
  type Protocol,
  type ProtocolContext,
  type WireAnswer,
  type WireRequest,
} from '../protocol';
import { signedEvent } from './events';
import { type FormValue, parseForm } from './form';
import { chargeObject, paymentIntentObject, sessionObject, type StripeObject } from './objects';
import { createRefund, findPaymentIntent, findRefund, listRefunds } from './refunds';
import { createSession, expireSession, findSession } from './sessions';
import { errorOfStatus, invalidRequest, StripeRefusal } from './stripe-error';

interface Saved {
  fingerprint: string;
  answer: WireAnswer;
}

/**
 * The saved answers by Idempotency-Key. They are lost when the sandbox ends; Stripe deletes them after a day.
 */
class SavedAnswers {
  private readonly saved = new Map<string, Saved>();

  /** The saved answer to the same request, or null. Throws if the key was used for a different request. */
  find(request: WireRequest): WireAnswer | null {
    const key = keyOf(request);
    const known = key === null ? undefined : this.saved.get(key);
    if (!known) return null;
    if (known.fingerprint !== fingerprintOf(request))
      throw new StripeRefusal(400, {
        type: 'idempotency_error',
        message:
          'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
          `Try using a key other than '${key}' if you meant to execute a different request.`,
      });
    return { ...known.answer, headers: { ...known.answer.headers, 'idempotent-replayed': 'true' } };
  }

  keep(request: WireRequest, answer: WireAnswer): void {
    const key = keyOf(request);
    if (key !== null) this.saved.set(key, { fingerprint: fingerprintOf(request), answer });
  }
}

function keyOf({ method, headers }: WireRequest): string | null {
  const key = headers['idempotency-key'];
  return method === 'POST' && typeof key === 'string' ? key : null;
}

const fingerprintOf = ({ path, body }: WireRequest) =>
  createHash('sha256').update(`${path}\n`).update(body).digest('hex');

const OWN_PATHS = /^\/v1(\/|$)/;
const DEFAULT_VERSION = '2024-06-20';
const EXPANDABLE = ['payment_intent', 'payment_intent.latest_charge'];

type Form = Record<string, FormValue>;

interface Route {
  method: 'GET' | 'POST';
  path: RegExp;
  /** The kind of call whose injected faults apply. Null: none apply, as for reading refunds. */
  call: ApiCall | null;
  answer: (id: string, form: Form) => StripeObject;
}

/** Stripe's API: checkout sessions, their payment intents, and refunds. */
export function stripeProtocol(book: OrderBook, account: StripeAccount, context: ProtocolContext): Protocol {
  const api = new StripeApi(account, context, routesOf(book, context));
  return {
    answer: (request) => (OWN_PATHS.test(request.path) ? api.answer(request) : Promise.resolve(null)),
    notification: (order, faults) => signedEvent(order, account, context.sandboxUrl(), faults),
    isAcknowledged: ({ status }) => status >= 200 && status < 300,
  };
}

function routesOf(book: OrderBook, context: ProtocolContext): Route[] {
  const session = (order: Order, form: Form) =>
    expanded(sessionObject(order, context.sandboxUrl()), order, form);
  return [
    {
      method: 'POST',
      path: /^\/v1\/checkout\/sessions$/,
      call: 'open',
      answer: (_, form) => session(createSession(book, form), form),
    },
    {
      method: 'GET',
      path: /^\/v1\/checkout\/sessions\/([^/]+)$/,
      call: 'query',
      answer: (id, form) => session(findSession(book, id), form),
    },
    {
      method: 'POST',
      path: /^\/v1\/checkout\/sessions\/([^/]+)\/expire$/,
      call: 'close',
      answer: (id, form) => session(expireSession(book, id), form),
    },
    {
      method: 'GET',
      path: /^\/v1\/payment_intents\/([^/]+)$/,
      call: 'query',
      answer: (id) => paymentIntentObject(findPaymentIntent(book, id, 'intent'))!,
    },
    {
      method: 'POST',
      path: /^\/v1\/refunds$/,
      call: 'refund',
      answer: (_, form) => createRefund(book, form),
    },
    { method: 'GET', path: /^\/v1\/refunds$/, call: null, answer: (_, form) => listRefunds(book, form) },
    { method: 'GET', path: /^\/v1\/refunds\/([^/]+)$/, call: null, answer: (id) => findRefund(book, id) },
  ];
}

/** The session, with its payment intent and its charge included as requested by `expand`. */
function expanded(session: StripeObject, order: Order, { expand = [] }: Form): StripeObject {
  const wanted = Array.isArray(expand) ? expand : [expand];
  for (const name of wanted)
    if (!EXPANDABLE.includes(String(name)))
      throw invalidRequest(`This property cannot be expanded (${String(name)}).`, { param: 'expand' });
  const intent = wanted.length > 0 ? paymentIntentObject(order) : null;
  if (!intent) return session;
  const charge = wanted.includes('payment_intent.latest_charge') ? chargeObject(order) : null;
  return { ...session, payment_intent: charge ? { ...intent, latest_charge: charge } : intent };
}

class StripeApi {
  private readonly saved = new SavedAnswers();

  constructor(
    private readonly account: StripeAccount,
    private readonly context: ProtocolContext,
    private readonly routes: Route[],
  ) {}

  async answer(request: WireRequest): Promise<WireAnswer> {
    try {
      this.authenticate(request);
      const { route, id } = this.find(request);
      const fault = route.call === null ? undefined : this.context.api(route.call);
      if (fault === 'hang') return await new Promise<never>(() => {});
      if (typeof fault === 'number') throw new StripeRefusal(fault, errorOfStatus(fault));
      const answer = this.saved.find(request) ?? this.execute(route, id, request);
      if (fault === 'lost') throw new ConnectionReset();
      // Stripe does not sign its answers, so `unsigned` has the same effect as `garbage`.
      return fault === undefined ? answer : { ...answer, body: '<html>upstream error</html>' };
    } catch (error) {
      if (error instanceof StripeRefusal) return wire(request, error.status, { error: error.body });
      throw error;
    }
  }

  private authenticate({ headers }: WireRequest): void {
    const [scheme = '', credential = ''] = (headers.authorization ?? '').split(' ');
    const key = /^basic$/i.test(scheme)
      ? Buffer.from(credential, 'base64').toString().split(':')[0]
      : credential;
    if (!key) throw invalidRequest('You did not provide an API key.', {}, 401);
    if (key !== this.account.secretKey) throw invalidRequest('Invalid API Key provided.', {}, 401);
  }

  private find({ method, path }: WireRequest): { route: Route; id: string } {
    const route = this.routes.find((one) => one.method === method && one.path.test(path));
    if (!route) throw invalidRequest(`Unrecognized request URL (${method}: ${path}).`, {}, 404);
    return { route, id: decodeURIComponent(route.path.exec(path)![1] ?? '') };
  }

  /** An error response is not saved under the idempotency key, so the request can be sent again. */
  private execute(route: Route, id: string, request: WireRequest): WireAnswer {
    const parameters =
      request.method === 'POST' ? new URLSearchParams(request.body.toString()) : request.query;
    const answer = wire(request, 200, route.answer(id, parseForm(parameters)));
    this.saved.keep(request, answer);
    return answer;
  }
}

function wire({ headers }: WireRequest, status: number, body: object): WireAnswer {
  const version = headers['stripe-version'];
  const key = headers['idempotency-key'];
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'request-id': newReference('req_'),
      'stripe-version': typeof version === 'string' ? version : DEFAULT_VERSION,
      ...(typeof key === 'string' && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body, null, 2),
  };
}
