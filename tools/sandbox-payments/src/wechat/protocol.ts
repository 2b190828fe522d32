import { createVerify, randomUUID } from 'node:crypto';
import { ConnectionReset } from '../injected-faults';
import { type OrderBook } from '../orders/order-book';
import { type WechatAccount } from '../credentials/provider-accounts';
import {
  type ApiCall,
  type Protocol,
  type ProtocolContext,
  type WireAnswer,
  type WireRequest,
} from '../protocol';
import { notificationOf } from './notification';
import { WechatPlatform } from './platform';
import { Refunds } from './refunds';
import { Transactions } from './transactions';
import { errorOfStatus, WechatError } from './wechat-error';

const SCHEME = 'WECHATPAY2-SHA256-RSA2048 ';
const FIELD = /^(mchid|nonce_str|signature|timestamp|serial_no)="([^"]+)"$/;
const MAX_AGE_SECONDS = 300;

const refuse = (message: string) => new WechatError(401, 'SIGN_ERROR', message);

/** Throws a WechatError unless the request has a valid signature of the merchant. */
function checkAuthorization(request: WireRequest, account: WechatAccount): void {
  const header = request.headers.authorization ?? '';
  if (!header.startsWith(SCHEME))
    throw refuse('Http头Authorization值格式错误，请参考《微信支付商户REST API签名规则》');
  const fields = new Map(
    header
      .slice(SCHEME.length)
      .split(',')
      .map((part) => FIELD.exec(part.trim()))
      .map((match) => [match?.[1], match?.[2]]),
  );
  const timestamp = fields.get('timestamp') ?? '';
  if (fields.get('mchid') !== account.merchantId) throw refuse('商户号与签名不匹配');
  if (fields.get('serial_no')?.toUpperCase() !== account.merchantSerial.toUpperCase())
    throw refuse('商户证书序列号有误');
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > MAX_AGE_SECONDS)
    throw refuse('Http头Authorization中的timestamp与发起请求的时间不得超过5分钟');
  const genuine = createVerify('RSA-SHA256')
    .update(`${request.method}\n${request.target}\n${timestamp}\n${fields.get('nonce_str')}\n`)
    .update(request.body)
    .update('\n')
    .verify(account.merchantPublicKey, fields.get('signature') ?? '', 'base64');
  if (!genuine) throw refuse('签名错误，请检查后再试');
}

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
