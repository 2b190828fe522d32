import { Database, newId, type Transaction } from '@inference/database';
import { exactNumber, picosToDecimal } from '@inference/money';
import { postTransfer, withLeaseRecall } from '@inference/wallet';
import { Inject, Injectable } from '@nestjs/common';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { enableLowBalanceAlert } from '../../notifications/low-balance/low-balance-alert.repository';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { TOP_UP_CONFIG, type TopUpConfig } from '../billing.config';
import { type AdjustmentResponse, type CreateAdjustmentDto } from './adjustments.dto';

@Injectable()
export class AdjustmentsService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    @Inject(TOP_UP_CONFIG) private readonly topUp: TopUpConfig,
  ) {}

  /** Posts once per admin and idempotency key. Without a key every call posts an adjustment. */
  async post(
    admin: Actor,
    input: CreateAdjustmentDto,
    idempotencyKey: string | null,
  ): Promise<AdjustmentResponse> {
    const { account_id: accountId, amount: amountPicos, description } = input;
    const reference =
      idempotencyKey === null
        ? `adjustment:${newId('adj')}`
        : `adjustment:${admin.accountId}:${idempotencyKey}`;
    const post = async (transaction: Transaction) => {
      const transfer = await postTransfer(transaction, {
        kind: 'adjustment',
        accountId,
        amountPicos,
        counterpart: 'equity:adjustments',
        reference,
        description,
      });
      if (!transfer.isNew) return transfer;
      await enableLowBalanceAlert(transaction, accountId, this.topUp.lowBalanceThresholdPicos);
      await recordAuditEvent(transaction, {
        type: 'admin.adjustment_posted',
        accountId,
        actorId: admin.accountId,
        origin: admin.origin,
        details: { transaction_id: transfer.id, amount: picosToDecimal(amountPicos) },
      });
      return transfer;
    };
    const posted = await withLeaseRecall(this.database, () => this.database.transaction(post));
    return {
      id: posted.id,
      type: 'adjustment',
      amount: exactNumber(picosToDecimal(amountPicos)),
      currency: this.site.currency,
      created_at: posted.createdAt.toISOString(),
      description,
      account_id: accountId,
    };
  }
}
