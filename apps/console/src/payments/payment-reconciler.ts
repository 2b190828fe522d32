import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { isDatabaseUnavailable, SQL_POOL, type SqlPool } from '@inference/database';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import {
  type OrderState,
  type PaymentProvider,
  ProviderUnavailable,
} from '../payment-providers/payment-provider';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { lastCheckSeconds, nextCheckSeconds } from './check-times';
import { DuePump } from '../jobs/due-pump';
import { orderOf } from './order';
import { type Payment, PAYMENT_COLUMNS } from './payment';
import { PaymentMismatch } from './payment-errors';
import { PaymentSettlement } from './payment-settlement';
import { RefundReconciler } from './refund-reconciler';

const POLL_MILLIS = 1_000;
/** Longer than the calls of one check take, so that two hosts are at one payment only if one of them has died. */
const LEASE_SECONDS = 60;

const CLAIM = `
  WITH due AS MATERIALIZED (
    SELECT id FROM billing.payments
    WHERE provider = $1 AND next_check_at <= now() AND (claimed_until IS NULL OR claimed_until <= now())
    ORDER BY next_check_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE billing.payments SET claimed_until = now() + make_interval(secs => $3)
  WHERE id IN (SELECT id FROM due)
  RETURNING ${PAYMENT_COLUMNS}, ended_at AS "endedAt", now() AS now`;
/** By status: a payment that has moved on has its next check set already. */
const RELEASE = `
  UPDATE billing.payments SET next_check_at = now() + make_interval(secs => $3), claimed_until = NULL
  WHERE id = $1 AND status = $2`;

type ClaimedPayment = Payment & { endedAt: Date | null; now: Date };

const secondsBetween = (from: Date, to: Date) => (to.getTime() - from.getTime()) / 1_000;

/**
 * Asks the providers about payments that are pending, since a notification may never come, and closes those whose time
 * is over; of ended ones it asks twice more. Each console takes its share, and what one that dies has claimed falls to
 * the others.
 */
@Injectable()
export class PaymentReconciler implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(PaymentReconciler.name);
  private readonly pumps: { wake(): void; stop(): Promise<void> }[];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
    private readonly settlement: PaymentSettlement,
    providers: PaymentProviders,
    refunds: RefundReconciler,
  ) {
    const report = (error: unknown) => this.report(error);
    this.pumps = providers.all().flatMap((provider) => [
      new DuePump(
        (count) => this.claim(provider, count),
        (payment) => this.check(provider, payment),
        report,
      ),
      new DuePump(
        (count) => refunds.claim(provider, count),
        (refund) => refunds.check(provider, refund),
        report,
      ),
    ]);
  }

  onApplicationBootstrap(): void {
    if (this.pumps.length > 0) this.timer = setInterval(() => this.wake(), POLL_MILLIS);
  }

  /** Looks whether anything is due. */
  wake(): void {
    for (const pump of this.pumps) pump.wake();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.pumps.map((pump) => pump.stop()));
  }

  private async claim(provider: PaymentProvider, count: number): Promise<ClaimedPayment[]> {
    return (await this.pool.query<ClaimedPayment>(CLAIM, [provider.name, count, LEASE_SECONDS])).rows;
  }

  private async check(provider: PaymentProvider, payment: ClaimedPayment): Promise<void> {
    let hasAnswered = true;
    try {
      await this.settlement.apply(provider.name, payment.id, await this.ask(provider, payment));
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      hasAnswered = error instanceof PaymentMismatch;
      if (error instanceof PaymentMismatch) await this.disagree(payment, error);
      else this.logFailure(payment, error);
    }
    await this.release(payment, hasAnswered);
  }

  /** What may still be paid when its time is over is closed first, and counts as expired only then. */
  private async ask(provider: PaymentProvider, payment: ClaimedPayment): Promise<OrderState> {
    const order = orderOf(payment, this.config);
    if (payment.status !== 'pending' || payment.now < payment.expiresAt) return provider.query(order);
    const state = await provider.close(order);
    if (state.status === 'open') throw new ProviderUnavailable('the order is still open after it was closed');
    return state.status === 'absent' ? { status: 'expired' } : state;
  }

  /** The provider itself says so, and signed it: asking again would not change it. */
  private async disagree(payment: ClaimedPayment, mismatch: PaymentMismatch): Promise<void> {
    this.logger.error(`${payment.provider} disagrees: ${mismatch.message}`);
    await this.settlement.end(payment.id, 'failed', mismatch.reason);
  }

  private logFailure({ id, provider }: Payment, error: unknown): void {
    const { message } = error as Error;
    this.logger.warn(`${provider} could not be asked about ${id}: ${message}`);
  }

  private async release(payment: ClaimedPayment, hasAnswered: boolean): Promise<void> {
    const { id, status, createdAt, expiresAt, endedAt, now } = payment;
    const pause = nextCheckSeconds(secondsBetween(createdAt, now));
    const left = secondsBetween(now, expiresAt);
    // One of the last questions counts as asked only when it was answered.
    const isLast = endedAt !== null && hasAnswered;
    const seconds = isLast ? lastCheckSeconds(secondsBetween(endedAt, now)) : pause;
    const untilExpiry = status === 'pending' && left > 0 ? left : Infinity;
    await this.pool.query(RELEASE, [id, status, seconds === null ? null : Math.min(seconds, untilExpiry)]);
  }

  /** A database that is away is told of by the health probe. */
  private report(error: unknown): void {
    if (!isDatabaseUnavailable(error)) this.logger.error(error);
  }
}
