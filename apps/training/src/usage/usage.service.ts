import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { newId, SQL_POOL, type SqlPool } from '@inference/database';
import { CodedException, CODES } from '@inference/envelope';
import { exactNumber, picosToDecimal } from '@inference/money';
import { exchangeRateMissing, tokenPriceMissing } from '../capabilities/missing-price';
import { TRAINING_CONFIG, type TrainingConfig } from '../config';
import { accountUnknown } from '../quotas/quotas.service';
import { type UsageRecord, type UsageRecordView } from './usage.dto';

/** What `training.record_usage` answers. */
type Refusal =
  'unknown_account' | 'id_reused' | 'price_missing' | 'rate_missing' | 'quota' | 'balance' | 'leased';

interface Row {
  outcome: 'recorded' | Refusal;
  cost: bigint;
  currency: string;
  recorded: Date;
}

const RECORD = 'SELECT * FROM training.record_usage($1, $2, $3, $4, $5, $6, $7)';
/** The gateways give back at once what no request of theirs needs (see `lease_recall`). */
const RECALL_PAUSE_MILLIS = 200;
const RECALL_ATTEMPTS = 5;

@Injectable()
export class UsageService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(TRAINING_CONFIG) private readonly config: TrainingConfig,
  ) {}

  /** Settles the record once: the quota's use, the usage event and the wallet's debit together, or nothing and an error. */
  async record(record: UsageRecord): Promise<UsageRecordView> {
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

  private async attempt({ id, account_id: accountId, model, tokens }: UsageRecord): Promise<Row> {
    const { TRAINING_PRICE_SLUG: slug, TRAINING_DEFAULT_QUOTA_TOKENS: defaultTotal } = this.config;
    const values = [id, accountId, model, tokens, newId('trn'), slug, defaultTotal];
    const { rows } = await this.pool.query<Row>(RECORD, values);
    return rows[0]!;
  }

  private refusal(outcome: Refusal): CodedException {
    switch (outcome) {
      case 'unknown_account':
        return accountUnknown();
      case 'id_reused':
        return new CodedException(CODES.idReused, 'this id was already used for a different record');
      case 'price_missing':
        return tokenPriceMissing(this.config.TRAINING_PRICE_SLUG);
      case 'rate_missing':
        return exchangeRateMissing();
      case 'quota':
        return new CodedException(
          CODES.quotaExceeded,
          'the token quota of the account does not allow so many tokens',
        );
      case 'balance':
        return new CodedException(CODES.walletEmpty, 'the wallet does not cover this amount');
      case 'leased':
        return new CodedException(
          CODES.walletSetAside,
          'the wallet covers this amount only with money that is set aside for requests under way',
        );
    }
  }
}
