import { z } from 'zod';
import { injectedFaults } from './injected-faults';
import { origin } from './config';
import { OrderStatusError } from './orders/order-book';
import { orderPage, ordersPage } from './pages/order-page';
import { type Order } from './orders/order';
import { HTML_HEADERS } from './pages/page';
import { type WireAnswer, type WireRequest } from './protocol';
import { json, RequestFault, wantsJson, wantsPage } from './request-fault';
import { type Sandbox } from './sandbox';

const MAX_NAME_CHARS = 200;
const MAX_EMAIL_CHARS = 254;
const LISTED = 100;
const FORM = 'application/x-www-form-urlencoded';

const payer = z.strictObject({
  name: z.string().trim().max(MAX_NAME_CHARS).default(''),
  email: z
    .string()
    .trim()
    .max(MAX_EMAIL_CHARS)
    .refine((text) => text === '' || text.includes('@'), 'must be an e-mail address')
    .default(''),
});
const merchant = z.strictObject({ origin: origin.nullable() });

type Handler = (
  sandbox: Sandbox,
  request: WireRequest,
  parameters: string[],
) => WireAnswer | Promise<WireAnswer>;

/** The capture groups of `path` become the parameters of the handler. */
const ROUTES: { path: RegExp; method: 'GET' | 'POST'; handler: Handler }[] = [
  { path: /^\/healthz$/, method: 'GET', handler: () => json(200, { status: 'ok' }) },
  { path: /^\/$/, method: 'GET', handler: listOrders },
  { path: /^\/orders\/([^/]+)$/, method: 'GET', handler: showOrder },
  { path: /^\/orders\/([^/]+)\/(pay|fail|expire)$/, method: 'POST', handler: act },
  { path: /^\/_sandbox\/behaviour$/, method: 'POST', handler: replaceFaults },
  { path: /^\/_sandbox\/merchant$/, method: 'POST', handler: changeMerchant },
  {
    path: /^\/_sandbox\/flush$/,
    method: 'POST',
    handler: (sandbox) => json(200, { released: sandbox.deliveries.flush() }),
  },
];

/** Answers requests to the sandbox's own routes. Throws a RequestFault. */
export async function ownAnswer(sandbox: Sandbox, request: WireRequest): Promise<WireAnswer> {
  const routes = ROUTES.filter(({ path }) => path.test(request.path));
  if (routes.length === 0) throw new RequestFault(404, 'There is nothing here.');
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const route = routes.find((each) => each.method === method);
  if (!route) throw new RequestFault(405, 'This method is not allowed here.', { Allow: routes[0]!.method });
  if (route.method === 'POST') refuseOtherSites(request);
  const parameters = route.path.exec(request.path)!.slice(1).map(decoded);
  return route.handler(sandbox, request, parameters);
}

/** Prevents cross-site requests: another site must not pay orders or inject faults through a visitor's browser. */
function refuseOtherSites({ headers }: WireRequest): void {
  const site = headers['sec-fetch-site'];
  const from = headers.origin;
  const isElsewhere =
    (site !== undefined && site !== 'same-origin' && site !== 'none') ||
    (from !== undefined && (!URL.canParse(from) || new URL(from).host !== headers.host));
  if (isElsewhere) throw new RequestFault(403, 'Another site may not do this.');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new RequestFault(404, 'There is no such order.');
  }
}

function listOrders(sandbox: Sandbox, { headers }: WireRequest): WireAnswer {
  const newest = sandbox.book.list().reverse().slice(0, LISTED);
  const orders = newest.map((order) => sandbox.view(order));
  if (wantsJson(headers)) return json(200, { orders });
  return { status: 200, headers: HTML_HEADERS, body: ordersPage(orders) };
}

function orderOf(sandbox: Sandbox, id: string): Order {
  const order = sandbox.book.find(id);
  if (!order) throw new RequestFault(404, 'There is no such order.');
  return order;
}

/** Null unless it is an http(s) URL, because a `javascript:` link would run code. */
const returnUrlOf = ({ returnUrl }: Order): string | null =>
  returnUrl !== null && URL.canParse(returnUrl) && /^https?:$/.test(new URL(returnUrl).protocol)
    ? returnUrl
    : null;

async function showOrder(
  sandbox: Sandbox,
  { headers }: WireRequest,
  [id = '']: string[],
): Promise<WireAnswer> {
  const order = orderOf(sandbox, id);
  if (wantsJson(headers)) return json(200, sandbox.view(order));
  const body = await orderPage({
    order: sandbox.view(order),
    payUrl: order.details.code_url ?? `${sandbox.url}/orders/${encodeURIComponent(id)}`,
    returnUrl: returnUrlOf(order),
    isPayable:
      order.status === 'open' || (order.status !== 'paid' && sandbox.injectedFaults.paid_after_expiry),
  });
  return { status: 200, headers: HTML_HEADERS, body };
}

function act(sandbox: Sandbox, request: WireRequest, [id = '', action = '']: string[]): WireAnswer {
  const order = orderOf(sandbox, id);
  const who = checked(payer, contentOf(request));
  try {
    if (action === 'pay') sandbox.book.pay(order, who, sandbox.injectedFaults.paid_after_expiry);
    else if (action === 'fail') sandbox.book.fail(order, who);
    else sandbox.book.expire(order);
  } catch (error) {
    if (error instanceof OrderStatusError) throw new RequestFault(409, `The order is ${order.status}.`);
    throw error;
  }
  if (!isForm(request) || !wantsPage(request.headers)) return json(200, sandbox.view(order));
  // Redirects to the order's page, which links to the merchant, because the merchant may have no page at its URL.
  return { status: 303, headers: { Location: `/orders/${encodeURIComponent(id)}` }, body: '' };
}

function replaceFaults(sandbox: Sandbox, request: WireRequest): WireAnswer {
  sandbox.injectedFaults = checked(injectedFaults, contentOf(request));
  return json(200, sandbox.injectedFaults);
}

function changeMerchant(sandbox: Sandbox, request: WireRequest): WireAnswer {
  sandbox.merchant = checked(merchant, contentOf(request)).origin;
  return json(200, { origin: sandbox.merchant });
}

const isForm = ({ headers }: WireRequest) => (headers['content-type'] ?? '').startsWith(FORM);

/** The fields of a form, otherwise of a JSON body of any content type. An empty body is an empty object. */
function contentOf(request: WireRequest): unknown {
  const text = request.body.toString();
  if (isForm(request)) return Object.fromEntries(new URLSearchParams(text));
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestFault(400, 'The body is not valid JSON.');
  }
}

function checked<Output>(schema: z.ZodType<Output>, content: unknown): Output {
  const result = schema.safeParse(content);
  if (result.success) return result.data;
  throw new RequestFault(
    400,
    result.error.issues
      .map(({ path, message }) => (path.length > 0 ? `${path.map(String).join('.')}: ${message}` : message))
      .join('; '),
  );
}
