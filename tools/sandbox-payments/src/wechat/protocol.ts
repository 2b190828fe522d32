import { randomUUID } from 'node:crypto';
import { ConnectionReset } from '../connection-reset';
import { type OrderBook } from '../orders/order-book';
import { type WechatAccount } from '../credentials/provider-accounts';
import {
  type ApiCall,
  type Protocol,
  type ProtocolContext,
  type WireAnswer,
  type WireRequest,
} from '../protocol';
import { checkAuthorization } from './authorization';
import { notificationOf } from './notification';
import { WechatPlatform } from './platform';
import { Refunds } from './refunds';
import { Transactions } from './transactions';
import { errorOfStatus, WechatError } from './wechat-error';

const PREFIX = '/v3/';
const GARBAGE = '<html><body>Bad luck</body></html>';

interface Route {
  method: 'GET' | 'POST';
  path: RegExp;
  call?: ApiCall;
  /** The body of the answer, or undefined for a 204. */
  handle(request: WireRequest, id: string): object | void;
}

/** WeChat Pay's API v3: Native orders, refunds, certificates. */
export function wechatProtocol(book: OrderBook, account: WechatAccount, context: ProtocolContext): Protocol {
  const platform = new WechatPlatform(account);
  const routes = routesOf(
    new Transactions(book, account, () => context.sandboxUrl()),
    new Refunds(book),
    platform,
  );
  return {
    answer: async (request) =>
      request.path.startsWith(PREFIX) ? answer(request, routes, account, platform, context) : null,
    notification: (order, faults) => notificationOf(order, faults, account, platform),
    isAcknowledged: ({ status }) => status === 200 || status === 204,
  };
}

function routesOf(transactions: Transactions, refunds: Refunds, platform: WechatPlatform): Route[] {
  return [
    {
      method: 'POST',
      path: /^\/v3\/pay\/transactions\/native$/,
      call: 'open',
      handle: ({ body }) => transactions.open(body),
    },
    {
      method: 'GET',
      path: /^\/v3\/pay\/transactions\/out-trade-no\/([^/]+)$/,
      call: 'query',
      handle: ({ query }, id) => transactions.byMerchantId(id, query.get('mchid')),
    },
    {
      method: 'GET',
      path: /^\/v3\/pay\/transactions\/id\/([^/]+)$/,
      call: 'query',
      handle: ({ query }, id) => transactions.byTransactionId(id, query.get('mchid')),
    },
    {
      method: 'POST',
      path: /^\/v3\/pay\/transactions\/out-trade-no\/([^/]+)\/close$/,
      call: 'close',
      handle: ({ body }, id) => transactions.close(id, body),
    },
    {
      method: 'POST',
      path: /^\/v3\/refund\/domestic\/refunds$/,
      call: 'refund',
      handle: ({ body }) => refunds.ask(body),
    },
    {
      method: 'GET',
      path: /^\/v3\/refund\/domestic\/refunds\/([^/]+)$/,
      call: 'query',
      handle: (_request, id) => refunds.find(id),
    },
    { method: 'GET', path: /^\/v3\/certificates$/, handle: () => ({ data: platform.certificates() }) },
  ];
}

async function answer(
  request: WireRequest,
  routes: Route[],
  account: WechatAccount,
  platform: WechatPlatform,
  context: ProtocolContext,
): Promise<WireAnswer> {
  const route = routes.find(({ method, path }) => method === request.method && path.test(request.path));
  const fault = route?.call && context.api(route.call);
  if (fault === 'hang') return new Promise<never>(() => undefined);
  const requestedKeyId = request.headers['wechatpay-serial']?.toString();
  const outcome = outcomeOf(() => {
    checkAuthorization(request, account);
    if (requestedKeyId !== undefined && !platform.knows(requestedKeyId))
      throw new WechatError(400, 'PARAM_ERROR', '平台证书序列号Wechatpay-Serial错误');
    if (typeof fault === 'number') throw errorOfStatus(fault);
    if (!route) throw errorOfStatus(404);
    return route.handle(request, route.path.exec(request.path)?.[1] ?? '');
  });
  if (fault === 'lost') throw new ConnectionReset();
  const body = fault === 'garbage' ? GARBAGE : outcome.body;
  const headers: Record<string, string> = {
    'Request-ID': randomUUID(),
    ...(body === '' ? {} : { 'Content-Type': 'application/json; charset=utf-8' }),
    ...platform.sign(body, requestedKeyId, { wrongSignature: fault === 'unsigned' }),
  };
  return { status: fault === 'garbage' ? 200 : outcome.status, headers, body };
}

function outcomeOf(work: () => object | void): { status: number; body: string } {
  try {
    const answer = work();
    return answer === undefined ? { status: 204, body: '' } : { status: 200, body: JSON.stringify(answer) };
  } catch (error) {
    if (error instanceof WechatError) return { status: error.status, body: error.body };
    throw error;
  }
}
