import { Database, type Transaction } from '@inference/database';
import { Metrics } from '@inference/http';
import { postTransfer } from '@inference/wallet';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Counter } from 'prom-client';
import { enableLowBalanceAlert } from '../../notifications/low-balance/low-balance-alert.repository';
import { queueMail } from '../../notifications/mail/outbox';
import { TOP_UP_CONFIG, type TopUpConfig } from '../billing.config';
import {
  type OrderState,
  PAYMENT_PROVIDERS,
  type PaymentProof,
  type PaymentProviderName,
} from '../payment-providers/payment-provider';
import { minorToDecimal, minorToPicos } from '../payments/minor-amount';
import {
  MAX_PAYER_CHARS,
  type Payment,
  PAYMENT_STATUSES,
  type PaymentStatus,
} from '../payments/payment.entity';
import { endUnpaidPayment, findPayment, markPaid } from '../payments/payments.repository';
import { nextCheckAfterEndSeconds } from '../payments/provider-poll-schedule';
import { ReceiptsService } from '../receipts/receipts.service';

/** Counts the payments that this process has brought to their end. */
@Injectable()
export class PaymentMetrics {
  private readonly payments: Counter<'provider' | 'status'>;

  constructor({ registry }: Metrics) {
    this.payments = new Counter({
      name: 'console_payments_total',
      help: 'Payments that were paid, have failed or have expired.',
      labelNames: ['provider', 'status'],
      registers: [registry],
    });
    for (const provider of PAYMENT_PROVIDERS)
      for (const status of PAYMENT_STATUSES)
        if (status !== 'pending') this.payments.inc({ provider, status }, 0);
  }

  count(provider: PaymentProviderName, status: Exclude<PaymentStatus, 'pending'>): void {
    this.payments.inc({ provider, status });
  }
}

/** A provider reported a payment that does not exist here. */
export class UnknownPaymentError extends Error {
  constructor(readonly paymentId: string) {
    super(`no such payment: ${paymentId}`);
  }
}

/** A provider's proof contradicts the payment. An operator has to look at it. */
export class PaymentMismatchError extends Error {
  constructor(
    readonly paymentId: string,
    readonly reason: string,
  ) {
    super(`${paymentId}: ${reason}`);
  }
}

/** Named in the wallet transaction of a top-up. */
const METHOD_NAMES: Record<PaymentProviderName, string> = {
  card_provider: 'card',
  messaging_pay_provider: 'WeChat Pay',
  wallet_pay_provider: 'Alipay',
};

/** PostgreSQL's text cannot hold NUL. */
const UNSTORABLE = /\0/g;

/** Makes a payer's text storable: text that PostgreSQL refuses would prevent the credit. */
const toStorableText = (text: string | null) =>
  text === null ? null : text.replace(UNSTORABLE, '\ufffd').slice(0, MAX_PAYER_CHARS);

const isReferenceTaken = (error: unknown) =>
  error instanceof Error &&
  'constraint' in error &&
  error.constraint === 'payments_provider_provider_reference_key';

/**
 * Turns what a provider reports of an order into a credit, or into the end of the payment. Reports may be repeated and
 * come in any order: a payment is credited exactly once.
 */
@Injectable()
export class PaymentSettlement {
  private readonly logger = new Logger(PaymentSettlement.name);

  constructor(
    private readonly database: Database,
    @Inject(TOP_UP_CONFIG) private readonly topUp: TopUpConfig,
    private readonly receipts: ReceiptsService,
    private readonly metrics: PaymentMetrics,
  ) {}

  /**
   * Applies an order's state to its payment. Throws UnknownPaymentError, and PaymentMismatchError if the proof is not for
   * this payment; then nothing has changed.
   */
  async settle(provider: PaymentProviderName, paymentId: string, state: OrderState): Promise<void> {
    const payment = await findPayment(this.database, paymentId);
    if (payment?.provider !== provider) throw new UnknownPaymentError(paymentId);
    if (state.status === 'paid') await this.pay(payment, state.proof);
    else if (state.status === 'failed') await this.fail(payment, state.reason);
    else if (state.status === 'expired') await this.endUnpaid(payment, 'expired', null);
  }

  private async fail(payment: Payment, reason: string): Promise<void> {
    if (await this.endUnpaid(payment, 'failed', reason))
      this.logger.warn(`${payment.id} has failed (${payment.provider}): ${reason}`);
  }

  /** Ends a payment that was not paid. Returns false if it is no longer pending. */
  async endUnpaid(
    { id, provider }: Payment,
    status: 'failed' | 'expired',
    failure: string | null,
  ): Promise<boolean> {
    const end = { status, failure };
    const hasEnded = await endUnpaidPayment(this.database, id, end, nextCheckAfterEndSeconds(0));
    if (hasEnded) this.metrics.count(provider, status);
    return hasEnded;
  }

  private async pay(payment: Payment, proof: PaymentProof): Promise<void> {
    // Most notifications are repetitions; they need no transaction.
    if (payment.status === 'paid' && payment.providerReference === proof.reference) return;
    if (proof.amountMinor !== payment.amountMinor || proof.currency !== payment.currency)
      throw new PaymentMismatchError(
        payment.id,
        `${proof.amountMinor} ${proof.currency} (hundredths) were paid instead of ${payment.amountMinor} ${payment.currency}`,
      );
    try {
      if (!(await this.database.transaction((transaction) => this.credit(transaction, payment.id, proof))))
        return;
      this.metrics.count(payment.provider, 'paid');
      this.logger.log(`${payment.id} is paid (${payment.provider}, ${proof.reference})`);
    } catch (error) {
      if (!isReferenceTaken(error)) throw error;
      throw new PaymentMismatchError(payment.id, `${proof.reference} has paid another payment`);
    }
  }

  /** Part of one transaction. Returns false if the payment was credited before by the same proof. */
  private async credit(transaction: Transaction, paymentId: string, proof: PaymentProof): Promise<boolean> {
    const { reference, payer } = proof;
    const paid = await markPaid(transaction, paymentId, {
      paidAt: proof.paidAt,
      providerReference: reference,
      payerName: toStorableText(payer.name),
      payerEmail: toStorableText(payer.email),
    });
    if (!paid) {
      const before = await findPayment(transaction, paymentId);
      if (before?.providerReference === reference) return false;
      throw new PaymentMismatchError(
        paymentId,
        `it was paid by ${before?.providerReference}, and by ${reference} again`,
      );
    }
    const { accountId, amountMinor, currency, provider, paidAt } = paid;
    await postTransfer(transaction, {
      kind: 'topup',
      accountId,
      amountPicos: minorToPicos(amountMinor),
      counterpart: `provider:${provider}`,
      reference: `payment:${paymentId}`,
      description: `Top-up by ${METHOD_NAMES[provider]}`,
    });
    await enableLowBalanceAlert(transaction, accountId, this.topUp.lowBalanceThresholdPicos);
    await queueMail(transaction, {
      kind: 'payment_received',
      accountId,
      params: {
        amount: minorToDecimal(amountMinor),
        currency,
        paymentId,
        at: (paidAt ?? proof.paidAt).toISOString(),
      },
    });
    if (provider === 'card_provider') await this.receipts.issue(transaction, paid);
    return true;
  }
}
