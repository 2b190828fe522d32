import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { isDatabaseUnavailable, SQL_POOL, type SqlPool } from '@inference/database';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import {
  type OrderState,
  type PaymentProvider,
  ProviderUnavailableError,
} from '../payment-providers/payment-provider';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { nextCheckAfterEndSeconds, nextCheckSeconds } from '../payments/reconciliation-schedule';
import { JobPoller } from '../../jobs/job-poller';
import { toProviderOrder } from '../payments/provider-order';
import { type Payment, PAYMENT_COLUMNS } from '../payments/payment';
import { PaymentMismatchError } from './settlement-errors';
import { PaymentSettlement } from './payment-settlement';
import { RefundReconciler } from '../refunds/refund-reconciler';

/** Chosen: well below the first check of a payment (5 s). */
const POLL_MILLIS = 1_000;
/** Four times the 15 s that a provider call may take, so that two hosts check one payment only if one of them has died. */
const LEASE_SECONDS = 60;

const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT id FROM billing.payments
    WHERE provider = $1 AND next_check_at <= now() AND (claimed_until IS NULL OR claimed_until <= now())
    ORDER BY next_check_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE billing.payments SET claimed_until = now() + make_interval(secs => $3)
  WHERE id IN (SELECT id FROM due)
  RETURNING ${PAYMENT_COLUMNS}, ended_at AS "endedAt", now() AS now`;
/** Only with the claimed status: a payment whose status has changed has its next check set already. */
const RELEASE = `
  UPDATE billing.payments SET next_check_at = now() + make_interval(secs => $3), claimed_until = NULL
  WHERE id = $1 AND status = $2`;

type ClaimedPayment = Payment & { endedAt: Date | null; now: Date };

const secondsBetween = (from: Date, to: Date) => (to.getTime() - from.getTime()) / 1_000;

/**
 * Polls the providers, since a notification may never come: about pending payments, about payments that ended unpaid
 * (twice more), and about refunds. Closes payments whose time is over. The replicas share the work by leases; the work
 * of a replica that dies is taken over when its leases end.
 */
@Injectable()
export class PaymentReconciler implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly logger = new Logger(PaymentReconciler.name);
  private readonly queues: { wake(): void; stop(): Promise<void> }[];
  private timer: NodeJS.Timeout | undefined;
  private stopped: Promise<unknown> | undefined;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    private readonly settlement: PaymentSettlement,
    providers: PaymentProviders,
    refunds: RefundReconciler,
  ) {
    const report = (error: unknown) => this.report(error);
    this.queues = providers.all().flatMap((provider) => [
      new JobPoller(
        (count) => this.claim(provider, count),
        (payment) => this.check(provider, payment),
        report,
      ),
      new JobPoller(
        (count) => refunds.claim(provider, count),
        (refund) => refunds.check(provider, refund),
        report,
      ),
    ]);
  }

  onApplicationBootstrap(): void {
    if (this.queues.length > 0) this.timer = setInterval(() => this.wake(), POLL_MILLIS);
  }

  /** Checks for due payments and refunds. */
  wake(): void {
    for (const queue of this.queues) queue.wake();
  }

  /** Must return at once: Nest calls it module by module, and all are to stop at the same time. */
  onModuleDestroy(): void {
    clearInterval(this.timer);
    this.stopped = Promise.all(this.queues.map((queue) => queue.stop()));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stopped;
  }

  private async claim(provider: PaymentProvider, count: number): Promise<ClaimedPayment[]> {
    return (await this.pool.query<ClaimedPayment>(CLAIM, [provider.name, count, LEASE_SECONDS])).rows;
  }

  private async check(provider: PaymentProvider, payment: ClaimedPayment): Promise<void> {
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
    await this.settlement.endUnpaid(payment.id, 'failed', mismatch.reason);
  }

  private logFailure({ id, provider }: Payment, error: unknown): void {
    const { message } = error as Error;
    this.logger.warn(`${provider} could not be asked about ${id}: ${message}`);
  }

  private async release(payment: ClaimedPayment, hasAnswered: boolean): Promise<void> {
    const { id, status, createdAt, expiresAt, endedAt, now } = payment;
    const pause = nextCheckSeconds(secondsBetween(createdAt, now));
    const left = secondsBetween(now, expiresAt);
    // A check after the end counts only when it was answered.
    const isLast = endedAt !== null && hasAnswered;
    const seconds = isLast ? nextCheckAfterEndSeconds(secondsBetween(endedAt, now)) : pause;
    const untilExpiry = status === 'pending' && left > 0 ? left : Infinity;
    await this.pool.query(RELEASE, [id, status, seconds === null ? null : Math.min(seconds, untilExpiry)]);
  }

  /** An unavailable database is reported by the health probe. */
  private report(error: unknown): void {
    if (!isDatabaseUnavailable(error)) this.logger.error(error);
  }
}
