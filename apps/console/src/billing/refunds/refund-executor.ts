import { Inject, Injectable, Logger } from '@nestjs/common';
import { Database, isDatabaseUnavailable, type Sql } from '@inference/database';
import { postTransfer } from '@inference/wallet';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { enableLowBalanceAlert } from '../../notifications/low-balance/low-balance-alert';
import { queueMail } from '../../notifications/mail/outbox';
import {
  type PaymentProvider,
  ProviderRefusedError,
  type RefundState,
} from '../payment-providers/payment-provider';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { nextCheckSeconds } from '../payments/provider-poll-schedule';
import { toProviderOrder } from '../payments/provider-order';
import { minorToDecimal, minorToPicos } from '../payments/minor-amount';
import { findPayment } from '../payments/payment';
import { TOP_UP_CONFIG, type TopUpConfig } from '../settings/top-up.config';
import { type ClaimedRefund, REFUND_COLUMNS } from '../payments/refund';

/** Four times the 15 s that a provider call may take. */
const CLAIM_SECONDS = 60;

/**
 * A claim sets next_check_at to now(). If it is later when the check ends, a notification has asked for another check
 * meanwhile, and that time is kept.
 */
const claimIf = (condition: string) => `
  UPDATE billing.refunds r SET claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS}), next_check_at = now()
  FROM billing.payments p
  WHERE p.id = r.payment_id AND r.id = $1 AND ${condition}
  RETURNING ${REFUND_COLUMNS}, now() AS now, now()::text AS "claimedAt"`;
const CLAIM_DUE = claimIf('r.due_at <= now()');
const CLAIM_NOW = claimIf(
  'r.next_check_at IS NOT NULL AND (r.claimed_until IS NULL OR r.claimed_until <= now())',
);
const RELEASE = `
  UPDATE billing.refunds
  SET claimed_until = NULL,
    next_check_at = CASE WHEN next_check_at > $4::timestamptz THEN next_check_at
      ELSE now() + make_interval(secs => $3) END
  WHERE id = $1 AND status = $2`;
/** A refund may fail after it succeeded: the payer's bank can return the money. */
const ALLOWED_PREVIOUS_STATUSES = { succeeded: ['pending'], failed: ['pending', 'succeeded'] };
const END = `
  UPDATE billing.refunds
  SET status = $3, ended_at = clock_timestamp(), provider_reference = coalesce($4, provider_reference), failure = $5,
    claimed_until = NULL,
    next_check_at = CASE WHEN $3 = 'succeeded' AND next_check_at > $6::timestamptz THEN next_check_at END
  WHERE id = $1 AND status = ANY ($2)`;
const STOP_CHECKING = `
  UPDATE billing.refunds
  SET claimed_until = NULL, next_check_at = CASE WHEN next_check_at > $2::timestamptz THEN next_check_at END
  WHERE id = $1`;

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
    const refund = (await this.database.query<ClaimedRefund>(CLAIM_DUE, [refundId])).rows[0];
    if (refund) await this.check(provider, refund);
  }

  /** Does nothing if another replica has claimed the refund. */
  async checkNow(refundId: string): Promise<void> {
    const refund = (await this.database.query<ClaimedRefund>(CLAIM_NOW, [refundId])).rows[0];
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
    if (state.status === refund.status) return this.stopChecking(refund);
    if (!(await this.database.transaction((client) => this.end(client, refund, state)))) {
      this.logger.error(
        `${refund.id} is ${state.status} at ${refund.provider}, which is not what it is here`,
      );
      return this.stopChecking(refund);
    }
    if (state.status === 'failed') this.logger.error(`${refund.id} has failed: ${state.reason}`);
    else this.logger.log(`${refund.id} is made (${refund.provider}, ${state.reference})`);
  }

  /** Returns false if the refund's status does not allow this end, for example because it was recorded before. */
  private async end(
    sql: Sql,
    refund: ClaimedRefund,
    state: Exclude<RefundState, { status: 'pending' }>,
  ): Promise<boolean> {
    const { id, paymentId, accountId, provider, amountMinor, currency } = refund;
    const reference = state.status === 'succeeded' ? state.reference : null;
    const failure = state.status === 'failed' ? state.reason : null;
    const ended = await sql.query(END, [
      id,
      ALLOWED_PREVIOUS_STATUSES[state.status],
      state.status,
      reference,
      failure,
      refund.claimedAt,
    ]);
    if (ended.rowCount === 0) return false;
    if (state.status === 'succeeded') {
      const amount = minorToDecimal(amountMinor);
      const params = { amount, currency, paymentId, at: new Date().toISOString() };
      await queueMail(sql, { kind: 'payment_refunded', accountId, params });
      return true;
    }
    await postTransfer(sql, {
      kind: 'adjustment',
      accountId,
      amountPicos: minorToPicos(amountMinor),
      counterpart: `provider:${provider}`,
      reference: `refund:${id}:reversal`,
      description: `Refund of payment ${paymentId} did not succeed`,
    });
    await enableLowBalanceAlert(sql, accountId, this.topUp.lowBalanceThresholdPicos);
    return true;
  }

  private async stopChecking({ id, claimedAt }: ClaimedRefund): Promise<void> {
    await this.database.query(STOP_CHECKING, [id, claimedAt]);
  }

  private async scheduleNextCheck({ id, status, createdAt, now, claimedAt }: ClaimedRefund): Promise<void> {
    const ageSeconds = (now.getTime() - createdAt.getTime()) / 1_000;
    await this.database.query(RELEASE, [id, status, nextCheckSeconds(ageSeconds), claimedAt]);
  }
}
