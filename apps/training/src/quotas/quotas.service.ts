import { Database, type Executor } from '@inference/database';
import { ApiException, CODES } from '@inference/training-envelope';
import { Inject, Injectable } from '@nestjs/common';
import { QUOTAS_CONFIG, type QuotasConfig } from '../config';
import { type QuotaResponse } from './quotas.dto';
import {
  insertQuotaChange,
  listQuotaChanges,
  lockQuota,
  readQuota,
  setTotalTokens,
} from './quotas.repository';

@Injectable()
export class QuotasService {
  constructor(
    private readonly database: Database,
    @Inject(QUOTAS_CONFIG) private readonly config: QuotasConfig,
  ) {}

  /** Throws 404 for an unknown account. */
  read(accountId: string): Promise<QuotaResponse> {
    return this.view(this.database, accountId);
  }

  /** Sets the total and records the admin. An equal total changes and records nothing. Throws 404 for an unknown account. */
  setTotal(accountId: string, total: number, adminId: string): Promise<QuotaResponse> {
    return this.database.transaction(async (transaction) => {
      const before = await lockQuota(transaction, accountId, this.defaultTotal);
      if (!before) throw accountUnknown();
      const change = {
        accountId,
        changedBy: adminId,
        fromTokens: before.totalTokens,
        toTokens: BigInt(total),
      };
      await setTotalTokens(transaction, accountId, change.toTokens);
      if (change.fromTokens !== change.toTokens) await insertQuotaChange(transaction, change);
      return this.view(transaction, accountId);
    });
  }

  private get defaultTotal(): number {
    return this.config.defaultTotalTokens;
  }

  private async view(executor: Executor, accountId: string): Promise<QuotaResponse> {
    const quota = await readQuota(executor, accountId, this.defaultTotal);
    if (!quota) throw accountUnknown();
    const changes = await listQuotaChanges(executor, accountId);
    return {
      account_id: accountId,
      total: Number(quota.totalTokens),
      used: Number(quota.usedTokens),
      changes: changes.map(({ fromTokens, toTokens, changedBy, changedAt }) => ({
        from: Number(fromTokens),
        to: Number(toTokens),
        changed_by: changedBy,
        changed_at: changedAt.toISOString(),
      })),
    };
  }
}

/** 404: the account does not exist. */
export const accountUnknown = () => new ApiException(CODES.accountUnknown, 'no such account');
