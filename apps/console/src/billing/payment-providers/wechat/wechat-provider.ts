import { z } from 'zod';
import {
  type Acknowledgement,
  type OpenedOrder,
  type OrderState,
  type PaymentProvider,
  type ProviderNotification,
  type ProviderOrder,
  ProviderUnavailableError,
  type RawNotification,
  type RefundRequest,
  type RefundState,
} from '../payment-provider';
import { type WechatConfig } from '../payment-providers.config';
import { WechatClient, type WechatLimits, WechatRefusedError } from './wechat-client';
import { openedOrder, orderStateOf, refund, refundStateOf, transaction } from './wechat-messages';
import { readNotification } from './wechat-notification';

/** Both timeouts together are below the 15 s that a provider call may take. */
const DEFAULT_LIMITS: WechatLimits = {
  timeoutMs: 11_000,
  certificatesTimeoutMs: 3_000,
  certificatesEveryMs: 60_000,
};
const TRANSACTIONS = '/v3/pay/transactions';
const REFUNDS = '/v3/refund/domestic/refunds';
const JSON_TYPE = 'application/json; charset=utf-8';

// WeChat Pay's documentation has used both spellings.
const ABSENT_CODES = new Set(['ORDER_NOT_EXIST', 'ORDERNOTEXIST']);
const ALREADY_KNOWN_CODES = new Set(['ORDERPAID', 'ORDER_PAID', 'OUT_TRADE_NO_USED']);
const UNKNOWN_REFUND_CODES = new Set(['RESOURCE_NOT_EXISTS', 'RESOURCE_NOT_EXIST', 'REFUNDNOTEXIST']);

export interface WechatOptions extends Partial<WechatLimits> {
  /** URL of the webhook; WeChat Pay allows no query in it. */
  notifyUrl: string;
}

const isRefusal = (error: unknown, codes: Set<string>): error is WechatRefusedError =>
  error instanceof WechatRefusedError && codes.has(error.code);

/** WeChat Pay, API v3, Native payment: the payer scans a QR code. */
export class WechatProvider implements PaymentProvider {
  readonly name = 'messaging_pay_provider';
  private readonly client: WechatClient;
  private readonly notifyUrl: string;

  constructor(
    private readonly config: WechatConfig,
    { notifyUrl, ...limits }: WechatOptions,
  ) {
    this.notifyUrl = notifyUrl;
    this.client = new WechatClient(config, { ...DEFAULT_LIMITS, ...limits });
  }

  /** An order that WeChat Pay already knows throws ProviderUnavailableError, not a refusal: it may be paid. */
  async open(order: ProviderOrder): Promise<OpenedOrder> {
    const body = nativeOrderRequest(order, this.config, this.notifyUrl);
    try {
      const { code_url: url } = await this.client.call(
        openedOrder,
        { method: 'POST', path: `${TRANSACTIONS}/native`, body },
        this.client.deadline(),
      );
      return { providerOrderId: null, checkout: { type: 'qr', url } };
    } catch (error) {
      if (!isRefusal(error, ALREADY_KNOWN_CODES)) throw error;
      throw new ProviderUnavailableError(`WeChat Pay has the order already: ${error.code}`);
    }
  }

  query(order: ProviderOrder): Promise<OrderState> {
    return this.queryWithin(order, this.client.deadline());
  }

  async close(order: ProviderOrder): Promise<OrderState> {
    const deadline = this.client.deadline();
    const path = `${this.pathOf(order)}/close`;
    try {
      await this.client.call(
        z.literal(''),
        { method: 'POST', path, body: { mchid: this.config.merchantId } },
        deadline,
      );
      return { status: 'expired' };
    } catch (error) {
      if (!(error instanceof WechatRefusedError)) throw error;
      // It is paid, closed or absent already; a query tells which.
      const state = await this.queryWithin(order, deadline);
      if (state.status === 'open') throw error;
      return state;
    }
  }

  /** Queries the refund first: only a query returns the state of a refund that was requested before. */
  async refund(order: RefundRequest): Promise<RefundState> {
    const deadline = this.client.deadline();
    const path = `${REFUNDS}/${order.refundId}`;
    const earlier = await this.client
      .call(refund, { method: 'GET', path }, deadline)
      .catch((error: unknown) => {
        if (isRefusal(error, UNKNOWN_REFUND_CODES)) return null;
        // A refused query says nothing about the refund, which may have been made before.
        if (error instanceof WechatRefusedError) throw new ProviderUnavailableError(error.message);
        throw error;
      });
    const body = refundRequest(order, this.notifyUrl);
    const answer =
      earlier ?? (await this.client.call(refund, { method: 'POST', path: REFUNDS, body }, deadline));
    if (answer.out_refund_no !== order.refundId)
      throw new ProviderUnavailableError('WeChat Pay answered about another refund');
    return refundStateOf(answer);
  }

  verify(notification: RawNotification): Promise<ProviderNotification> {
    return readNotification(notification, this.config, this.client);
  }

  acknowledge(): Acknowledgement {
    return {
      status: 200,
      contentType: JSON_TYPE,
      body: JSON.stringify({ code: 'SUCCESS', message: '成功' }),
    };
  }

  reject(status: number, message: string): Acknowledgement {
    return { status, contentType: JSON_TYPE, body: JSON.stringify({ code: 'FAIL', message }) };
  }

  private pathOf({ paymentId }: ProviderOrder): string {
    return `${TRANSACTIONS}/out-trade-no/${paymentId}`;
  }

  private async queryWithin(order: ProviderOrder, deadline: AbortSignal): Promise<OrderState> {
    const { appId, merchantId } = this.config;
    try {
      const answer = await this.client.call(
        transaction,
        { method: 'GET', path: this.pathOf(order), query: { mchid: merchantId } },
        deadline,
      );
      // A response's signature does not cover the request, so the response has to name the order.
      if (answer.appid !== appId || answer.mchid !== merchantId || answer.out_trade_no !== order.paymentId)
        throw new ProviderUnavailableError('WeChat Pay answered about another order');
      return orderStateOf(answer);
    } catch (error) {
      if (isRefusal(error, ABSENT_CODES)) return { status: 'absent' };
      throw error;
    }
  }
}

/** Specified: WeChat Pay API v3, Native payment (`description`) and refund (`reason`). */
const MAX_DESCRIPTION_CHARS = 127;
const MAX_REASON_BYTES = 80;
const CHINA_OFFSET_MS = 8 * 3_600_000;

/** RFC 3339 in China's time without fractions of a second, as WeChat Pay requires. */
const chinaTime = (time: Date): string =>
  `${new Date(time.getTime() + CHINA_OFFSET_MS).toISOString().slice(0, 19)}+08:00`;

/** The longest prefix of whole characters whose sizes sum up to at most `room`. */
function truncate(text: string, room: number, size: (character: string) => number): string {
  let prefix = '';
  for (const character of text) {
    room -= size(character);
    if (room < 0) break;
    prefix += character;
  }
  return prefix;
}

const nativeOrderRequest = (
  order: ProviderOrder,
  { appId, merchantId }: WechatConfig,
  notifyUrl: string,
) => ({
  appid: appId,
  mchid: merchantId,
  description: truncate(order.description, MAX_DESCRIPTION_CHARS, ({ length }) => length),
  out_trade_no: order.paymentId,
  time_expire: chinaTime(order.expiresAt),
  notify_url: notifyUrl,
  amount: { total: Number(order.amountMinor), currency: order.currency },
});

const refundRequest = ({ refundId, order, ...refund }: RefundRequest, notifyUrl: string) => ({
  transaction_id: refund.paymentReference,
  out_refund_no: refundId,
  ...(refund.reason ? { reason: truncate(refund.reason, MAX_REASON_BYTES, Buffer.byteLength) } : {}),
  notify_url: notifyUrl,
  amount: {
    refund: Number(refund.amountMinor),
    total: Number(order.amountMinor),
    currency: order.currency,
  },
});
