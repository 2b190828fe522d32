import { Database, isDatabaseUnavailable, type Transaction } from '@inference/database';
import { postTransfer } from '@inference/wallet';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { enableLowBalanceAlert } from '../../notifications/low-balance/low-balance-alert.repository';
import { queueMail } from '../../notifications/mail/outbox';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { TOP_UP_CONFIG, type TopUpConfig } from '../billing.config';
import {
  type PaymentProvider,
  ProviderRefusedError,
  type RefundState,
} from '../payment-providers/payment-provider';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { minorToDecimal, minorToPicos } from '../payments/minor-amount';
import { findPayment } from '../payments/payments.repository';
import { nextCheckSeconds, toProviderOrder } from '../payments/provider-poll-schedule';
import {
  claimDueRefund,
  type ClaimedRefund,
  claimRefundNow,
  endRefund,
  releaseRefund,
  stopRefundChecks,
} from '../payments/refunds.repository';
import { reopenExplainedEvents } from '../provider-events/provider-events.repository';

/** Four times the 15 s that a provider call may take. */
const CLAIM_SECONDS = 60;

/** Requests refunds at the providers until they succeed or fail. The amount of a failed refund is credited again. */
@Injectable()
export class RefundExecutor {
  private readonly logger = new Logger(RefundExecutor.name);

  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    @Inject(TOP_UP_CONFIG) private readonly topUp: TopUpConfig,
    private readonly providers: PaymentProviders,
  ) {}

  /** Checks the refund if it is due and no other replica has claimed it. */
  async checkDue(provider: PaymentProvider, refundId: string): Promise<void> {
    const refund = await claimDueRefund(this.database, refundId, CLAIM_SECONDS);
    if (refund) await this.check(provider, refund);
  }

  /** Does nothing if another replica has claimed the refund. */
  async checkNow(refundId: string): Promise<void> {
    const refund = await claimRefundNow(this.database, refundId, CLAIM_SECONDS);
    const provider = refund && this.providers.find(refund.provider);
    if (provider) await this.check(provider, refund);
  }

  private async check(provider: PaymentProvider, refund: ClaimedRefund): Promise<void> {
    try {
      await this.apply(refund, await this.requestRefund(provider, refund));
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.logger.warn(`${provider.name} could not be asked for ${refund.id}: ${(error as Error).message}`);
      await this.scheduleNextCheck(refund);
    }
  }

  /** Idempotent by the refund's id. A refusal of the provider is the state `failed`. */
  private async requestRefund(provider: PaymentProvider, refund: ClaimedRefund): Promise<RefundState> {
    const payment = await findPayment(this.database, refund.paymentId);
    if (!payment?.providerReference) throw new Error(`${refund.paymentId} is not paid`);
    try {
      return await provider.refund({
        refundId: refund.id,
        order: toProviderOrder(payment, this.site),
        paymentReference: payment.providerReference,
        amountMinor: refund.amountMinor,
        reason: refund.reason,
      });
    } catch (error) {
      if (!(error instanceof ProviderRefusedError)) throw error;
      return { status: 'failed', reason: error.message };
    }
  }

  private async apply(refund: ClaimedRefund, state: RefundState): Promise<void> {
    if (state.status === 'pending') return this.scheduleNextCheck(refund);
    if (state.status === refund.status) return stopRefundChecks(this.database, refund);
    if (!(await this.database.transaction((transaction) => this.end(transaction, refund, state)))) {
      this.logger.error(
        `${refund.id} is ${state.status} at ${refund.provider}, which is not what it is here`,
      );
      return stopRefundChecks(this.database, refund);
    }
    if (state.status === 'failed') this.logger.error(`${refund.id} has failed: ${state.reason}`);
    else this.logger.log(`${refund.id} is made (${refund.provider}, ${state.reference})`);
  }

  /** Returns false if the refund's status does not allow this end, for example because it was recorded before. */
  private async end(
    transaction: Transaction,
    refund: ClaimedRefund,
    state: Exclude<RefundState, { status: 'pending' }>,
  ): Promise<boolean> {
    const { id, paymentId, accountId, provider, amountMinor, currency } = refund;
    const { status } = state;
    const providerReference = status === 'succeeded' ? state.reference : null;
    const failure = status === 'failed' ? state.reason : null;
    if (!(await endRefund(transaction, refund, { status, providerReference, failure }))) return false;
    if (state.status === 'succeeded') {
      const amount = minorToDecimal(amountMinor);
      const params = { amount, currency, paymentId, at: new Date().toISOString() };
      await queueMail(transaction, { kind: 'payment_refunded', accountId, params });
      return true;
    }
    if ((await reopenExplainedEvents(transaction, paymentId)) > 0)
      this.logger.warn(`Events of ${paymentId} at ${provider} are open again, since ${id} has failed.`);
    await postTransfer(transaction, {
      kind: 'adjustment',
      accountId,
      amountPicos: minorToPicos(amountMinor),
      counterpart: `provider:${provider}`,
      reference: `refund:${id}:reversal`,
      description: `Refund of payment ${paymentId} did not succeed`,
    });
    await enableLowBalanceAlert(transaction, accountId, this.topUp.lowBalanceThresholdPicos);
    return true;
  }

  private async scheduleNextCheck(refund: ClaimedRefund): Promise<void> {
    const ageSeconds = (refund.now.getTime() - refund.createdAt.getTime()) / 1_000;
    await releaseRefund(this.database, refund, nextCheckSeconds(ageSeconds));
  }
}
