import { setTimeout as pause } from 'node:timers/promises';
import { Database, newId } from '@inference/database';
import { exactNumber, picosToDecimal } from '@inference/money';
import { ApiException, CODES } from '@inference/training-envelope';
import { Inject, Injectable } from '@nestjs/common';
import {
  exchangeRateMissing,
  PRICES_CONFIG,
  type PricesConfig,
  QUOTAS_CONFIG,
  type QuotasConfig,
  tokenPriceMissing,
} from '../config';
import { accountUnknown } from '../quotas/quotas.service';
import { type RecordUsageDto, type UsageRecordResponse } from './usage.dto';
import { type RecordOutcome, recordUsage, type Refusal } from './usage.repository';

/** `record_usage` recalls leases (NOTIFY `lease_recall`); gateways then return unused money at once. */
const RECALL_PAUSE_MILLIS = 200;
const RECALL_ATTEMPTS = 5;

@Injectable()
export class UsageService {
  constructor(
    private readonly database: Database,
    @Inject(PRICES_CONFIG) private readonly prices: PricesConfig,
    @Inject(QUOTAS_CONFIG) private readonly quotas: QuotasConfig,
  ) {}

  /** Records usage once: quota, usage event and wallet debit in one transaction. Throws an ApiException if nothing was recorded. */
  async record(record: RecordUsageDto): Promise<UsageRecordResponse> {
    let row = await this.attempt(record);
    for (let attempt = 1; row.outcome === 'leased' && attempt < RECALL_ATTEMPTS; attempt++) {
      await pause(RECALL_PAUSE_MILLIS);
      row = await this.attempt(record);
    }
    if (row.outcome !== 'recorded') throw this.refusal(row.outcome);
    return {
      ...record,
      cost: exactNumber(picosToDecimal(row.cost)),
      currency: row.currency,
      recorded_at: row.recorded.toISOString(),
    };
  }

  private attempt({ id, account_id: accountId, model, tokens }: RecordUsageDto): Promise<RecordOutcome> {
    const { tokenPriceSlug } = this.prices;
    const { defaultTotalTokens } = this.quotas;
    const eventId = newId('trn');
    return recordUsage(this.database, {
      ...{ id, accountId, model, tokens, eventId },
      ...{ tokenPriceSlug, defaultTotalTokens },
    });
  }

  private refusal(outcome: Refusal): ApiException {
    switch (outcome) {
      case 'unknown_account':
        return accountUnknown();
      case 'id_reused':
        return new ApiException(CODES.idReused, 'this id was already used for a different record');
      case 'price_missing':
        return tokenPriceMissing();
      case 'rate_missing':
        return exchangeRateMissing();
      case 'quota':
        return new ApiException(
          CODES.quotaExceeded,
          'the token quota of the account does not allow so many tokens',
        );
      case 'balance':
        return new ApiException(CODES.walletEmpty, 'the wallet does not cover this amount');
      case 'leased':
        return new ApiException(
          CODES.walletSetAside,
          'the wallet covers this amount only with money that is set aside for requests under way',
        );
    }
  }
}
