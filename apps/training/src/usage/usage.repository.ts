import { type Currency } from '@inference/config';
import { type Executor } from '@inference/database';

/** Reasons for which nothing is recorded. `leased`: the money is in leases of gateways, which are asked to return it. */
export type Refusal =
  | 'unknown_account'
  | 'id_reused'
  | 'price_missing'
  | 'rate_missing'
  | 'quota'
  | 'balance'
  | 'leased';

export interface NewUsageRecord {
  id: string;
  accountId: string;
  model: string;
  tokens: number;
  /** Id of the usage event. */
  eventId: string;
  /** The model that the usage event names. */
  tokenPriceSlug: string;
  defaultTotalTokens: number;
}

/** Cost in picos of the currency and time, of this record or of an equal one with the same id before. */
export interface RecordOutcome {
  outcome: 'recorded' | Refusal;
  cost: bigint;
  currency: Currency;
  recorded: Date;
}

const RECORD = 'SELECT * FROM training.record_usage($1, $2, $3, $4, $5, $6, $7)';

/** Records usage once: quota, usage event and wallet debit in one transaction. */
export async function recordUsage(executor: Executor, record: NewUsageRecord): Promise<RecordOutcome> {
  const { id, accountId, model, tokens, eventId, tokenPriceSlug, defaultTotalTokens } = record;
  const values = [id, accountId, model, tokens, eventId, tokenPriceSlug, defaultTotalTokens];
  return (await executor.query<RecordOutcome>(RECORD, values)).rows[0]!;
}
