import { z } from 'zod';
import { type WechatConfig } from '../../config.payments';
import {
  type Acknowledgement,
  type Notification,
  type OpenedOrder,
  type Order,
  type OrderState,
  type PaymentProvider,
  ProviderUnavailable,
  type RawNotification,
  type RefundOrder,
  type RefundState,
} from '../payment-provider';
import { WechatClient, type WechatLimits, WechatRefusal } from './wechat-client';
import { openedOrder, orderStateOf, refund, refundStateOf, transaction } from './wechat-messages';
import { readNotification } from './wechat-notification';
import { nativeOrder, refundRequest } from './wechat-requests';

const LIMITS: WechatLimits = {
  timeoutMs: 11_000,
  certificatesTimeoutMs: 3_000,
  certificatesEveryMs: 60_000,
};
const TRANSACTIONS = '/v3/pay/transactions';
const REFUNDS = '/v3/refund/domestic/refunds';
const JSON_TYPE = 'application/json; charset=utf-8';

// Its documentation has had both spellings.
const IS_ABSENT = new Set(['ORDER_NOT_EXIST', 'ORDERNOTEXIST']);
const IS_KNOWN_ALREADY = new Set(['ORDERPAID', 'ORDER_PAID', 'OUT_TRADE_NO_USED']);
const NO_SUCH_REFUND = new Set(['RESOURCE_NOT_EXISTS', 'RESOURCE_NOT_EXIST', 'REFUNDNOTEXIST']);

export interface WechatOptions extends Partial<WechatLimits> {
  /** Where WeChat Pay posts what becomes of orders and refunds; without a query. */
  notifyUrl: string;
}

const isRefusal = (error: unknown, codes: Set<string>): error is WechatRefusal =>
  error instanceof WechatRefusal && codes.has(error.code);

/** WeChat Pay, API v3: the payer scans the order's code (Native). */
export class WechatProvider implements PaymentProvider {
  readonly name = 'messaging_pay_provider';
  private readonly client: WechatClient;
  private readonly notifyUrl: string;

  constructor(
    private readonly config: WechatConfig,
    { notifyUrl, ...limits }: WechatOptions,
  ) {
    this.notifyUrl = notifyUrl;
    this.client = new WechatClient(config, { ...LIMITS, ...limits });
  }

  /** Unavailable, and no refusal, when WeChat Pay knows the order otherwise or as paid: then money may come. */
  async open(order: Order): Promise<OpenedOrder> {
    const body = nativeOrder(order, this.config, this.notifyUrl);
    try {
      const { code_url: url } = await this.client.ask(
        openedOrder,
        { method: 'POST', path: `${TRANSACTIONS}/native`, body },
        this.client.deadline(),
      );
      return { providerOrderId: null, checkout: { type: 'qr', url } };
    } catch (error) {
      if (!isRefusal(error, IS_KNOWN_ALREADY)) throw error;
      throw new ProviderUnavailable(`WeChat Pay has the order already: ${error.code}`);
    }
  }

  query(order: Order): Promise<OrderState> {
    return this.queryWithin(order, this.client.deadline());
  }

  async close(order: Order): Promise<OrderState> {
    const deadline = this.client.deadline();
    const path = `${this.pathOf(order)}/close`;
    try {
      await this.client.ask(
        z.literal(''),
        { method: 'POST', path, body: { mchid: this.config.merchantId } },
        deadline,
      );
      return { status: 'expired' };
    } catch (error) {
      if (!(error instanceof WechatRefusal)) throw error;
      // It is paid, closed or gone already; which of these is for a query to say.
      const state = await this.queryWithin(order, deadline);
      if (state.status === 'open') throw error;
      return state;
    }
  }

  /** Asked for first, since only this tells how far a refund is that was ordered before. */
  async refund(order: RefundOrder): Promise<RefundState> {
    const deadline = this.client.deadline();
    const path = `${REFUNDS}/${order.refundId}`;
    const earlier = await this.client
      .ask(refund, { method: 'GET', path }, deadline)
      .catch((error: unknown) => {
        if (isRefusal(error, NO_SUCH_REFUND)) return null;
        // To refuse the question is not to refuse the refund, which may have been made before.
        if (error instanceof WechatRefusal) throw new ProviderUnavailable(error.message);
        throw error;
      });
    const body = refundRequest(order, this.notifyUrl);
    const told =
      earlier ?? (await this.client.ask(refund, { method: 'POST', path: REFUNDS, body }, deadline));
    if (told.out_refund_no !== order.refundId)
      throw new ProviderUnavailable('WeChat Pay answered about another refund');
    return refundStateOf(told);
  }

  verify(notification: RawNotification): Promise<Notification> {
    return readNotification(notification, this.config, this.client);
  }

  acknowledge(): Acknowledgement {
    return {
      status: 200,
      contentType: JSON_TYPE,
      body: JSON.stringify({ code: 'SUCCESS', message: '成功' }),
    };
  }

  decline(status: number, message: string): Acknowledgement {
    return { status, contentType: JSON_TYPE, body: JSON.stringify({ code: 'FAIL', message }) };
  }

  private pathOf({ paymentId }: Order): string {
    return `${TRANSACTIONS}/out-trade-no/${paymentId}`;
  }

  private async queryWithin(order: Order, deadline: AbortSignal): Promise<OrderState> {
    const { appId, merchantId } = this.config;
    try {
      const told = await this.client.ask(
        transaction,
        { method: 'GET', path: this.pathOf(order), query: { mchid: merchantId } },
        deadline,
      );
      // An answer's signature does not say which question it is for.
      if (told.appid !== appId || told.mchid !== merchantId || told.out_trade_no !== order.paymentId)
        throw new ProviderUnavailable('WeChat Pay answered about another order');
      return orderStateOf(told);
    } catch (error) {
      if (isRefusal(error, IS_ABSENT)) return { status: 'absent' };
      throw error;
    }
  }
}
