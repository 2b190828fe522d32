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
import { type AlipayConfig } from '../payment-providers.config';
import { type AlipayAnswer, AlipayClient } from './alipay-client';
import { checkMerchant, checkTime, notificationOf, readSignedFields } from './alipay-notification';
import { formatChinaTime, formatYuan, orderStateOfTrade } from './alipay-trade';

/** Closing and refunding take two calls, which have to fit into the 15 s of a provider call. */
const CALL_LIMIT_MS = 7_000;
const MAX_SUBJECT_CHARS = 256;
/** Characters that Alipay refuses in a subject, and invisible ones. */
const FORBIDDEN_IN_SUBJECT = /[/=&\p{C}]+/gu;
const MAX_REASON_CHARS = 256;
const MAX_CODE_CHARS = 1_024;
/** Payment by a QR code that the payer scans. */
const PRODUCT_CODE = 'QR_CODE_OFFLINE';

const UNKNOWN_TRADE_CODE = 'ACQ.TRADE_NOT_EXIST';
/** Sub-codes of alipay.trade.precreate for a trade that exists already and may be paid. */
const KNOWN_TRADE_CODES = ['ACQ.TRADE_HAS_SUCCESS', 'ACQ.TRADE_HAS_CLOSE', 'ACQ.CONTEXT_INCONSISTENT'];
/** Sub-codes of alipay.trade.close that do not tell the state of the trade. */
const NOT_CLOSABLE_CODES = [UNKNOWN_TRADE_CODE, 'ACQ.TRADE_STATUS_ERROR', 'ACQ.REASON_TRADE_STATUS_INVALID'];

const subjectOf = (order: ProviderOrder): string => {
  const readable = order.description.replace(FORBIDDEN_IN_SUBJECT, ' ').replace(/\s+/g, ' ').trim();
  return [...readable].slice(0, MAX_SUBJECT_CHARS).join('') || order.paymentId;
};

export interface AlipayOptions {
  notifyUrl: string;
  /** Time limit of one call; some methods make two. */
  callLimitMs?: number;
}

/** Alipay: payment by QR code (alipay.trade.precreate), signed with RSA2 both ways. */
export class AlipayProvider implements PaymentProvider {
  readonly name = 'wallet_pay_provider';
  private readonly client: AlipayClient;
  private readonly notifyUrl: string;

  constructor(
    private readonly config: AlipayConfig,
    { notifyUrl, callLimitMs = CALL_LIMIT_MS }: AlipayOptions,
  ) {
    this.client = new AlipayClient(config, callLimitMs);
    this.notifyUrl = notifyUrl;
  }

  async open(order: ProviderOrder): Promise<OpenedOrder> {
    if (order.currency !== 'CNY')
      throw new ProviderRefusedError(`Alipay does not accept payments in ${order.currency}`);
    const answer = await this.client.call({
      method: 'alipay.trade.precreate',
      paymentId: order.paymentId,
      notifyUrl: this.notifyUrl,
      content: {
        out_trade_no: order.paymentId,
        product_code: PRODUCT_CODE,
        seller_id: this.config.sellerId,
        total_amount: formatYuan(order.amountMinor),
        subject: subjectOf(order),
        time_expire: formatChinaTime(order.expiresAt),
      },
    });
    if (!answer.ok) {
      const Fault = KNOWN_TRADE_CODES.includes(answer.subCode)
        ? ProviderUnavailableError
        : ProviderRefusedError;
      throw new Fault(`alipay.trade.precreate: ${answer.subCode}`);
    }
    const url = answer.fields['qr_code'];
    if (typeof url !== 'string' || !URL.canParse(url) || url.length > MAX_CODE_CHARS)
      throw new ProviderUnavailableError('alipay.trade.precreate: an answer without a code');
    return { providerOrderId: null, checkout: { type: 'qr', url } };
  }

  async query(order: ProviderOrder): Promise<OrderState> {
    const answer = await this.client.call({
      method: 'alipay.trade.query',
      paymentId: order.paymentId,
      content: { out_trade_no: order.paymentId },
    });
    if (answer.ok) return orderStateOfTrade(answer.fields, order);
    if (answer.subCode !== UNKNOWN_TRADE_CODE)
      throw new ProviderRefusedError(`alipay.trade.query: ${answer.subCode}`);
    // A trade exists only after the code was scanned, which is possible until time_expire.
    return { status: Date.now() < order.expiresAt.getTime() ? 'open' : 'absent' };
  }

  /** Returns `open` for a code that was not scanned yet and has not expired: there is no trade to close. */
  async close(order: ProviderOrder): Promise<OrderState> {
    const answer = await this.client.call({
      method: 'alipay.trade.close',
      paymentId: order.paymentId,
      content: { out_trade_no: order.paymentId },
    });
    if (answer.ok) return { status: 'expired' };
    if (!NOT_CLOSABLE_CODES.includes(answer.subCode))
      throw new ProviderRefusedError(`alipay.trade.close: ${answer.subCode}`);
    return this.query(order);
  }

  /**
   * The reference is this site's refund id: Alipay has no other. A refusal counts only if Alipay does not know the refund,
   * since an earlier request whose response was lost may have made it.
   */
  async refund(refund: RefundRequest): Promise<RefundState> {
    const answer = await this.requestRefund(refund);
    if (answer instanceof ProviderRefusedError || !answer.ok) {
      if (await this.isRefunded(refund)) return { status: 'succeeded', reference: refund.refundId };
      if (answer instanceof ProviderRefusedError) throw answer;
      return { status: 'failed', reason: answer.subCode };
    }
    // Without `fund_change` this call moved no money: an earlier call did, or the refund is not finished.
    const isMade = answer.fields['fund_change'] === 'Y' || (await this.isRefunded(refund));
    return isMade
      ? { status: 'succeeded', reference: refund.refundId }
      : { status: 'pending', reference: null };
  }

  async verify({ body }: RawNotification): Promise<ProviderNotification> {
    const fields = readSignedFields(body, (signed) => this.client.isSigned(signed));
    checkTime(fields);
    checkMerchant(fields, this.config);
    return notificationOf(fields);
  }

  acknowledge(): Acknowledgement {
    return { status: 200, contentType: 'text/plain', body: 'success' };
  }

  reject(status: number): Acknowledgement {
    return { status, contentType: 'text/plain', body: 'failure' };
  }

  private async requestRefund({
    refundId,
    order,
    paymentReference,
    amountMinor,
    reason,
  }: RefundRequest): Promise<AlipayAnswer | ProviderRefusedError> {
    try {
      return await this.client.call({
        method: 'alipay.trade.refund',
        paymentId: order.paymentId,
        content: {
          trade_no: paymentReference,
          out_trade_no: order.paymentId,
          out_request_no: refundId,
          refund_amount: formatYuan(amountMinor),
          ...(reason !== null && { refund_reason: [...reason].slice(0, MAX_REASON_CHARS).join('') }),
        },
      });
    } catch (error) {
      if (error instanceof ProviderRefusedError) return error;
      throw error;
    }
  }

  private async isRefunded({ refundId, order, paymentReference }: RefundRequest): Promise<boolean> {
    const method = 'alipay.trade.fastpay.refund.query';
    try {
      const answer = await this.client.call({
        method,
        paymentId: order.paymentId,
        content: { trade_no: paymentReference, out_trade_no: order.paymentId, out_request_no: refundId },
      });
      if (!answer.ok) return false;
      const { refund_status, out_request_no } = answer.fields;
      return refund_status === 'REFUND_SUCCESS' && out_request_no === refundId;
    } catch (error) {
      if (error instanceof ProviderRefusedError) throw new ProviderUnavailableError(error.message);
      throw error;
    }
  }
}
