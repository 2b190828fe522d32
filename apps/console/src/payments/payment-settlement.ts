import { Inject, Injectable, Logger } from '@nestjs/common';
import { inTransaction, type Sql, SQL_POOL, type SqlPool } from '@inference/database';
import { scaledToDecimal } from '@inference/money';
import { postTransfer } from '@inference/wallet';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { armLowBalanceNotice } from '../low-balance/low-balance-notice';
import { queueMail } from '../mail/outbox';
import {
  type OrderState,
  type PaidProof,
  type PaymentProviderName,
} from '../payment-providers/payment-provider';
import { issueReceipt } from '../receipts/issue-receipt';
import { lastCheckSeconds } from './check-times';
import { findPayment, type Payment, PAYMENT_COLUMNS } from './payment';
import { PaymentMismatch, UnknownPayment } from './payment-errors';
import { statusesBefore } from './payment-states';
import { MINOR_DIGITS, minorToPicos } from './payments.dto';

const METHOD: Record<PaymentProviderName, string> = {
  card_provider: 'card',
  messaging_pay_provider: 'WeChat Pay',
  wallet_pay_provider: 'Alipay',
};

const MAX_PAYER_CHARS = 500;
/** PostgreSQL keeps no NUL in text. */
const UNSTORABLE = /\0/g;

const PAY = `
  UPDATE billing.payments
  SET status = 'paid', paid_at = $3, provider_reference = $4, payer_name = $5, payer_email = $6,
    ended_at = NULL, failure = NULL, next_check_at = NULL, claimed_until = NULL
  WHERE id = $1 AND status = ANY ($2) RETURNING ${PAYMENT_COLUMNS}`;
const END = `
  UPDATE billing.payments
  SET status = $3, ended_at = clock_timestamp(), failure = $4, claimed_until = NULL,
    next_check_at = clock_timestamp() + make_interval(secs => $5)
  WHERE id = $1 AND status = ANY ($2)`;

/** What somebody typed at the provider must not keep their money from being credited. */
const storable = (text: string | null) =>
  text === null ? null : text.replace(UNSTORABLE, '\ufffd').slice(0, MAX_PAYER_CHARS);

const isReferenceTaken = (error: unknown) =>
  error instanceof Error &&
  'constraint' in error &&
  error.constraint === 'payments_provider_provider_reference_key';

/** Makes of what a provider has proved what follows from it, once, however often and in whatever order it comes. */
@Injectable()
export class PaymentSettlement {
  private readonly logger = new Logger(PaymentSettlement.name);

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /** Throws UnknownPayment, and PaymentMismatch when the proof is not of this payment: nothing follows from it then. */
  async apply(provider: PaymentProviderName, paymentId: string, state: OrderState): Promise<void> {
    const payment = await findPayment(this.pool, paymentId);
    if (payment?.provider !== provider) throw new UnknownPayment(paymentId);
    if (state.status === 'paid') await this.pay(payment, state.proof);
    else if (state.status === 'failed') await this.fail(payment, state.reason);
    else if (state.status === 'expired') await this.end(paymentId, 'expired', null);
  }

  private async fail({ id, provider }: Payment, reason: string): Promise<void> {
    if (await this.end(id, 'failed', reason)) this.logger.warn(`${id} has failed (${provider}): ${reason}`);
  }

  /** False when it is not pending any more. */
  async end(paymentId: string, status: 'failed' | 'expired', failure: string | null): Promise<boolean> {
    const values = [paymentId, statusesBefore(status), status, failure, lastCheckSeconds(0)];
    return (await this.pool.query(END, values)).rowCount === 1;
  }

  private async pay(payment: Payment, proof: PaidProof): Promise<void> {
    // Most notifications are repetitions, and this one needs no transaction.
    if (payment.status === 'paid' && payment.providerReference === proof.reference) return;
    if (proof.amountMinor !== payment.amountMinor || proof.currency !== payment.currency)
      throw new PaymentMismatch(
        payment.id,
        `${proof.amountMinor} ${proof.currency} (hundredths) were paid in place of ${payment.amountMinor} ${payment.currency}`,
      );
    try {
      if (await inTransaction(this.pool, (client) => this.credit(client, payment.id, proof)))
        this.logger.log(`${payment.id} is paid (${payment.provider}, ${proof.reference})`);
    } catch (error) {
      if (!isReferenceTaken(error)) throw error;
      throw new PaymentMismatch(payment.id, `${proof.reference} has paid another payment`);
    }
  }

  /** False when it was credited before. */
  private async credit(sql: Sql, paymentId: string, proof: PaidProof): Promise<boolean> {
    const { reference, paidAt, payer } = proof;
    const { rows } = await sql.query<Payment>(PAY, [
      paymentId,
      statusesBefore('paid'),
      paidAt,
      reference,
      storable(payer.name),
      storable(payer.email),
    ]);
    const paid = rows[0];
    if (!paid) {
      const before = await findPayment(sql, paymentId);
      if (before?.providerReference === reference) return false;
      throw new PaymentMismatch(
        paymentId,
        `it was paid by ${before?.providerReference}, and by ${reference} again`,
      );
    }
    const { accountId, amountMinor, currency, provider } = paid;
    await postTransfer(sql, {
      kind: 'topup',
      accountId,
      amountPicos: minorToPicos(amountMinor),
      counterpart: `provider:${provider}`,
      reference: `payment:${paymentId}`,
      description: `Top-up by ${METHOD[provider]}`,
    });
    await armLowBalanceNotice(sql, accountId, this.config.topup.lowBalanceThreshold);
    await queueMail(sql, {
      kind: 'payment_received',
      accountId,
      params: {
        amount: scaledToDecimal(amountMinor, MINOR_DIGITS),
        currency,
        paymentId,
        at: paidAt.toISOString(),
      },
    });
    if (provider === 'card_provider') await issueReceipt(sql, paid, this.config);
    return true;
  }
}
