import { type AlipayConfig } from '../../config.payments';
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
import { type AlipayAnswer, AlipayGateway } from './alipay-gateway';
import { checkMerchant, checkTime, notificationOf, signedFields } from './alipay-notification';
import { stateOfTrade } from './alipay-trade';
import { chinaTimeOf, yuanOf } from './alipay-values';

/** Closing and refunding take two calls. */
const CALL_LIMIT_MS = 7_000;
const MAX_SUBJECT_CHARS = 256;
/** What Alipay does not take in a subject, and what nobody could read in it. */
const NOT_IN_SUBJECT = /[/=&\p{C}]+/gu;
const MAX_REASON_CHARS = 256;
const MAX_CODE_CHARS = 1_024;
/** Payment by a code that the payer scans. */
const PRODUCT_CODE = 'QR_CODE_OFFLINE';

const NO_SUCH_TRADE = 'ACQ.TRADE_NOT_EXIST';
/** Answers to a wish to open that say there is such a trade already, which may be paid. */
const KNOWN_TRADE = ['ACQ.TRADE_HAS_SUCCESS', 'ACQ.TRADE_HAS_CLOSE', 'ACQ.CONTEXT_INCONSISTENT'];
/** Answers to a wish to close that leave open what the trade is. */
const NOT_TO_CLOSE = [NO_SUCH_TRADE, 'ACQ.TRADE_STATUS_ERROR', 'ACQ.REASON_TRADE_STATUS_INVALID'];

const subjectOf = (order: Order): string => {
  const readable = order.description.replace(NOT_IN_SUBJECT, ' ').replace(/\s+/g, ' ').trim();
  return [...readable].slice(0, MAX_SUBJECT_CHARS).join('') || order.paymentId;
};

export interface AlipayOptions {
  notifyUrl: string;
  /** Of one call; several methods here take two. */
  callLimitMs?: number;
}

/** Alipay: payment by QR code (alipay.trade.precreate), signed with RSA2 both ways. */
export class AlipayProvider implements PaymentProvider {
  readonly name = 'wallet_pay_provider';
  private readonly gateway: AlipayGateway;
  private readonly notifyUrl: string;

  constructor(
    private readonly config: AlipayConfig,
    { notifyUrl, callLimitMs = CALL_LIMIT_MS }: AlipayOptions,
  ) {
    this.gateway = new AlipayGateway(config, callLimitMs);
    this.notifyUrl = notifyUrl;
  }

  async open(order: Order): Promise<OpenedOrder> {
    if (order.currency !== 'CNY') throw new ProviderRefusal(`Alipay is not paid in ${order.currency}`);
    const answer = await this.gateway.call({
      method: 'alipay.trade.precreate',
      paymentId: order.paymentId,
      notifyUrl: this.notifyUrl,
      content: {
        out_trade_no: order.paymentId,
        product_code: PRODUCT_CODE,
        seller_id: this.config.sellerId,
        total_amount: yuanOf(order.amountMinor),
        subject: subjectOf(order),
        time_expire: chinaTimeOf(order.expiresAt),
      },
    });
    if (!answer.ok) {
      const Fault = KNOWN_TRADE.includes(answer.subCode) ? ProviderUnavailable : ProviderRefusal;
      throw new Fault(`alipay.trade.precreate: ${answer.subCode}`);
    }
    const url = answer.fields['qr_code'];
    if (typeof url !== 'string' || !URL.canParse(url) || url.length > MAX_CODE_CHARS)
      throw new ProviderUnavailable('alipay.trade.precreate: an answer without a code');
    return { providerOrderId: null, checkout: { type: 'qr', url } };
  }

  async query(order: Order): Promise<OrderState> {
    const answer = await this.gateway.call({
      method: 'alipay.trade.query',
      paymentId: order.paymentId,
      content: { out_trade_no: order.paymentId },
    });
    if (answer.ok) return stateOfTrade(answer.fields, order);
    if (answer.subCode !== NO_SUCH_TRADE) throw new ProviderRefusal(`alipay.trade.query: ${answer.subCode}`);
    // There is a trade only once somebody has scanned the code, which they may until time_expire.
    return { status: Date.now() < order.expiresAt.getTime() ? 'open' : 'absent' };
  }

  /** `open` as well: of a code that nobody has scanned yet, before its time is over. Nothing can be closed then. */
  async close(order: Order): Promise<OrderState> {
    const answer = await this.gateway.call({
      method: 'alipay.trade.close',
      paymentId: order.paymentId,
      content: { out_trade_no: order.paymentId },
    });
    if (answer.ok) return { status: 'expired' };
    if (!NOT_TO_CLOSE.includes(answer.subCode))
      throw new ProviderRefusal(`alipay.trade.close: ${answer.subCode}`);
    return this.query(order);
  }

  /**
   * Alipay has no id for a refund but ours, which is the reference. A no counts only when Alipay also knows of no such
   * refund, since a request whose answer was lost may have made it before.
   */
  async refund(refund: RefundOrder): Promise<RefundState> {
    const answer = await this.askForRefund(refund);
    if (answer instanceof ProviderRefusal || !answer.ok) {
      if (await this.isRefunded(refund)) return { status: 'succeeded', reference: refund.refundId };
      if (answer instanceof ProviderRefusal) throw answer;
      return { status: 'failed', reason: answer.subCode };
    }
    // No money moved: it had before, or it is not certain that it will.
    const isMade = answer.fields['fund_change'] === 'Y' || (await this.isRefunded(refund));
    return isMade
      ? { status: 'succeeded', reference: refund.refundId }
      : { status: 'pending', reference: null };
  }

  async verify({ body }: RawNotification): Promise<Notification> {
    const fields = signedFields(body, (signed) => this.gateway.isSigned(signed));
    checkTime(fields);
    checkMerchant(fields, this.config);
    return notificationOf(fields);
  }

  acknowledge(): Acknowledgement {
    return { status: 200, contentType: 'text/plain', body: 'success' };
  }

  decline(status: number): Acknowledgement {
    return { status, contentType: 'text/plain', body: 'failure' };
  }

  private async askForRefund({
    refundId,
    order,
    paymentReference,
    amountMinor,
    reason,
  }: RefundOrder): Promise<AlipayAnswer | ProviderRefusal> {
    try {
      return await this.gateway.call({
        method: 'alipay.trade.refund',
        paymentId: order.paymentId,
        content: {
          trade_no: paymentReference,
          out_trade_no: order.paymentId,
          out_request_no: refundId,
          refund_amount: yuanOf(amountMinor),
          ...(reason !== null && { refund_reason: [...reason].slice(0, MAX_REASON_CHARS).join('') }),
        },
      });
    } catch (error) {
      if (error instanceof ProviderRefusal) return error;
      throw error;
    }
  }

  private async isRefunded({ refundId, order, paymentReference }: RefundOrder): Promise<boolean> {
    const method = 'alipay.trade.fastpay.refund.query';
    try {
      const answer = await this.gateway.call({
        method,
        paymentId: order.paymentId,
        content: { trade_no: paymentReference, out_trade_no: order.paymentId, out_request_no: refundId },
      });
      if (!answer.ok) return false;
      const { refund_status, out_request_no } = answer.fields;
      return refund_status === 'REFUND_SUCCESS' && out_request_no === refundId;
    } catch (error) {
      if (error instanceof ProviderRefusal) throw new ProviderUnavailable(error.message);
      throw error;
    }
  }
}
