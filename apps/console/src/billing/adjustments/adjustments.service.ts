import { Inject, Injectable } from '@nestjs/common';
import { inTransaction, newId, type Sql, SQL_POOL, type SqlPool } from '@inference/database';
import { picosToDecimal } from '@inference/money';
import { postTransfer, withLeaseRecall } from '@inference/wallet';
import { type Actor } from '../../identity/audit-log/actor';
import { recordAuditEvent } from '../../identity/audit-log/audit-log';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { enableLowBalanceAlert } from '../../notifications/low-balance/low-balance-alert';
import { TOP_UP_CONFIG, type TopUpConfig } from '../settings/top-up.config';
import { type CreateAdjustmentDto, type AdjustmentView } from './adjustments.dto';
import { transactionView } from '../transactions/transactions.dto';

@Injectable()
export class AdjustmentsService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    @Inject(TOP_UP_CONFIG) private readonly topUp: TopUpConfig,
  ) {}

  /** Posts once per admin and idempotency key. Without a key every call posts an adjustment. */
  async post(
    admin: Actor,
    input: CreateAdjustmentDto,
    idempotencyKey: string | null,
  ): Promise<AdjustmentView> {
    const { account_id: accountId, amount: amountPicos, description } = input;
    const reference =
      idempotencyKey === null
        ? `adjustment:${newId('adj')}`
        : `adjustment:${admin.accountId}:${idempotencyKey}`;
    const post = async (sql: Sql) => {
      const transfer = await postTransfer(sql, {
        kind: 'adjustment',
        accountId,
        amountPicos,
        counterpart: 'equity:adjustments',
        reference,
        description,
      });
      if (!transfer.isNew) return transfer;
      await enableLowBalanceAlert(sql, accountId, this.topUp.lowBalanceThresholdPicos);
      await recordAuditEvent(sql, {
        type: 'admin.adjustment_posted',
        accountId,
        actorId: admin.accountId,
        origin: admin.origin,
        details: { transaction_id: transfer.id, amount: picosToDecimal(amountPicos) },
      });
      return transfer;
    };
    const posted = await withLeaseRecall(this.pool, () => inTransaction(this.pool, post));
    const line = { ...posted, type: 'adjustment', amountPicos, description } as const;
    return { ...transactionView(line, this.site.currency), account_id: accountId };
  }
}
