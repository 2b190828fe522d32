import { Inject, Injectable } from '@nestjs/common';
import { CURRENCY_BY_SITE } from '@inference/config';
import { inTransaction, newId, SQL_POOL, type SqlPool } from '@inference/database';
import { picosToDecimal } from '@inference/money';
import { postTransfer } from '@inference/wallet';
import { type Actor } from '../events/actor';
import { recordEvent } from '../events/security-events';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { armLowBalanceNotice } from '../low-balance/low-balance-notice';
import { type Adjustment, type AdjustmentView } from './adjustments.dto';
import { transactionView } from './transaction-view';

@Injectable()
export class AdjustmentsService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /** Posts once per admin and idempotency key; without a key every call is an adjustment of its own. */
  async post(admin: Actor, order: Adjustment, idempotencyKey: string | null): Promise<AdjustmentView> {
    const { account_id: accountId, amount: amountPicos, description } = order;
    const reference =
      idempotencyKey === null
        ? `adjustment:${newId('adj')}`
        : `adjustment:${admin.accountId}:${idempotencyKey}`;
    const posted = await inTransaction(this.pool, async (client) => {
      const transfer = await postTransfer(client, {
        kind: 'adjustment',
        accountId,
        amountPicos,
        counterpart: 'equity:adjustments',
        reference,
        description,
      });
      if (!transfer.isNew) return transfer;
      await armLowBalanceNotice(client, accountId, this.config.topup.lowBalanceThreshold);
      await recordEvent(client, {
        type: 'admin.adjustment_posted',
        accountId,
        actorId: admin.accountId,
        origin: admin.origin,
        details: { transaction_id: transfer.id, amount: picosToDecimal(amountPicos) },
      });
      return transfer;
    });
    const line = { ...posted, type: 'adjustment', amountPicos, description } as const;
    return { ...transactionView(line, CURRENCY_BY_SITE[this.config.SITE]), account_id: accountId };
  }
}
