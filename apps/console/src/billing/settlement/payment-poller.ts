import { Database, isDatabaseUnavailable } from '@inference/database';
import { BackgroundJobs } from '@inference/jobs';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import {
  type OrderState,
  type PaymentProvider,
  ProviderUnavailableError,
} from '../payment-providers/payment-provider';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { type Payment } from '../payments/payment.entity';
import { claimDuePayment, type ClaimedPayment, releasePayment } from '../payments/payments.repository';
import {
  nextCheckAfterEndSeconds,
  nextCheckSeconds,
  toProviderOrder,
} from '../payments/provider-poll-schedule';
import { RefundExecutor } from '../refunds/refund-executor';
import { PaymentMismatchError, PaymentSettlement } from './payment-settlement';

/** Checks of payments and refunds that one process makes at a provider at the same time. Chosen: a slow answer then delays few others. */
const CONCURRENCY_BY_PROVIDER = 10;
/** Four times the 15 s that a provider call may take, so that two replicas check one payment only if one of them has died. */
const CLAIM_SECONDS = 60;

const secondsBetween = (from: Date, to: Date) => (to.getTime() - from.getTime()) / 1_000;

/**
 * Polls the providers, since a notification may never come: about pending payments, about payments that ended unpaid
 * (twice more), and about refunds. Closes payments whose time is over. The replicas share the work by claims; the work
 * of a replica that dies is taken over when its claims end.
 */
@Injectable()
export class PaymentPoller {
  private readonly logger = new Logger(PaymentPoller.name);

  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    private readonly settlement: PaymentSettlement,
    providers: PaymentProviders,
    refunds: RefundExecutor,
    jobs: BackgroundJobs,
  ) {
    for (const provider of providers.all())
      jobs.processRows(
        {
          [`check-payment-at-${provider.name}`]: (id) => this.check(provider, id),
          [`check-refund-at-${provider.name}`]: (id) => refunds.checkDue(provider, id),
        },
        CONCURRENCY_BY_PROVIDER,
      );
  }

  private async check(provider: PaymentProvider, id: string): Promise<void> {
    const payment = await claimDuePayment(this.database, id, CLAIM_SECONDS);
    if (!payment) return;
    let hasAnswered = true;
    try {
      await this.settlement.settle(provider.name, payment.id, await this.queryOrClose(provider, payment));
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      hasAnswered = error instanceof PaymentMismatchError;
      if (error instanceof PaymentMismatchError) await this.failMismatched(payment, error);
      else this.logFailure(payment, error);
    }
    await this.release(payment, hasAnswered);
  }

  /** A payment whose time is over is closed at the provider before it counts as expired, so that nobody can pay it. */
  private async queryOrClose(provider: PaymentProvider, payment: ClaimedPayment): Promise<OrderState> {
    const order = toProviderOrder(payment, this.site);
    if (payment.status !== 'pending' || payment.now < payment.expiresAt) return provider.query(order);
    const state = await provider.close(order);
    if (state.status === 'open')
      throw new ProviderUnavailableError('the order is still open after it was closed');
    return state.status === 'absent' ? { status: 'expired' } : state;
  }

  /** The provider's signed answer contradicts the payment; asking again would not change it. */
  private async failMismatched(payment: ClaimedPayment, mismatch: PaymentMismatchError): Promise<void> {
    this.logger.error(`${payment.provider} disagrees: ${mismatch.message}`);
    await this.settlement.endUnpaid(payment, 'failed', mismatch.reason);
  }

  private logFailure({ id, provider }: Payment, error: unknown): void {
    const { message } = error as Error;
    this.logger.warn(`${provider} could not be asked about ${id}: ${message}`);
  }

  private async release(payment: ClaimedPayment, hasAnswered: boolean): Promise<void> {
    const { status, createdAt, expiresAt, endedAt, now } = payment;
    const pause = nextCheckSeconds(secondsBetween(createdAt, now));
    const left = secondsBetween(now, expiresAt);
    // A check after the end counts only when it was answered.
    const isLast = endedAt !== null && hasAnswered;
    const seconds = isLast ? nextCheckAfterEndSeconds(secondsBetween(endedAt, now)) : pause;
    const untilExpiry = status === 'pending' && left > 0 ? left : Infinity;
    await releasePayment(this.database, payment, seconds === null ? null : Math.min(seconds, untilExpiry));
  }
}
