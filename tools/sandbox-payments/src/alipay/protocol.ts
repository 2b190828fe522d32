import { randomUUID } from 'node:crypto';
import { ConnectionReset } from '../injected-faults';
import { type OrderBook } from '../orders/order-book';
import { type AlipayAccount } from '../credentials/provider-accounts';
import {
  type ApiCall,
  type Protocol,
  type ProtocolContext,
  type WireAnswer,
  type WireRequest,
} from '../protocol';
import { AlipayError, errorOfStatus, invalidArguments } from './biz-content';
import { notificationOf } from './notification';
import { Refunds } from './refunds';
import { checkParameters, parametersOf, sign } from './signing';
import { Trades } from './trades';

const PATH = '/gateway.do';
const GARBAGE = '<html><body>Bad luck</body></html>';
const ACKNOWLEDGED = 'success';

interface Method {
  call: ApiCall;
  handle(parameters: Record<string, string>): object;
}

/** Alipay's gateway: trades paid by QR code, and their refunds. */
export function alipayProtocol(book: OrderBook, account: AlipayAccount, context: ProtocolContext): Protocol {
  const trades = new Trades(book, account, () => context.sandboxUrl());
  const methods = methodsOf(trades, new Refunds(book, trades));
  return {
    answer: async (request) => (request.path === PATH ? answer(request, methods, account, context) : null),
    notification: (order, faults) => notificationOf(order, faults, account),
    isAcknowledged: ({ body }) => body.trim() === ACKNOWLEDGED,
  };
}

const methodsOf = (trades: Trades, refunds: Refunds): Record<string, Method> => ({
  'alipay.trade.precreate': {
    call: 'open',
    handle: ({ biz_content = '', notify_url }) => trades.precreate(biz_content, notify_url ?? null),
  },
  'alipay.trade.query': { call: 'query', handle: ({ biz_content = '' }) => trades.query(biz_content) },
  'alipay.trade.close': { call: 'close', handle: ({ biz_content = '' }) => trades.close(biz_content) },
  'alipay.trade.refund': { call: 'refund', handle: ({ biz_content = '' }) => refunds.refund(biz_content) },
  'alipay.trade.fastpay.refund.query': {
    call: 'query',
    handle: ({ biz_content = '' }) => refunds.query(biz_content),
  },
});

async function answer(
  request: WireRequest,
  methods: Record<string, Method>,
  account: AlipayAccount,
  context: ProtocolContext,
): Promise<WireAnswer> {
  const parameters = parametersOf(request);
  const name = parameters.method ?? '';
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  const fault = method && context.api(method.call);
  if (fault === 'hang') return new Promise<never>(() => undefined);
  const injectedError = typeof fault === 'number' ? errorOfStatus(fault) : null;
  if (typeof fault === 'number' && !injectedError) return textOf(fault, GARBAGE);
  if (parameters.app_id !== account.appId)
    return errorWithoutApp(invalidArguments('isv.invalid-app-id', '无效的AppID参数'));
  if (!method) return errorWithoutApp(invalidArguments('isv.invalid-method', '不存在的方法名'));
  const fields = outcomeOf(() => {
    checkParameters(parameters, account);
    if (injectedError) throw injectedError;
    return { code: '10000', msg: 'Success', ...method.handle(parameters) };
  });
  if (fault === 'lost') throw new ConnectionReset();
  if (fault === 'garbage') return textOf(200, GARBAGE);
  return textOf(200, signed(name, fields, account, fault === 'unsigned'));
}

function outcomeOf(work: () => object): object {
  try {
    return work();
  } catch (error) {
    if (error instanceof AlipayError) return error.fields;
    throw error;
  }
}

/** The signature covers the exact text of the inner object, in which slashes are escaped. */
function signed(method: string, fields: object, account: AlipayAccount, wrongly: boolean): string {
  const inner = JSON.stringify(fields).replaceAll('/', '\\/');
  const signature = sign(wrongly ? `${inner} ` : inner, account.alipayPrivateKey);
  return `{"${method.replaceAll('.', '_')}_response":${inner},"sign":"${signature}"}`;
}

/** Not signed, because the app is unknown. */
const errorWithoutApp = (error: AlipayError): WireAnswer =>
  textOf(200, JSON.stringify({ error_response: error.fields }));

const textOf = (status: number, body: string): WireAnswer => ({
  status,
  headers: { 'Content-Type': 'text/html;charset=utf-8', trace_id: randomUUID().replaceAll('-', '') },
  body,
});
