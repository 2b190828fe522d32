import { type Transaction } from '@inference/database';
import { type ExchangeRate } from '@inference/metering';

const STORE = `
  INSERT INTO pricing.exchange_rates (day, usd_per_unit)
  SELECT * FROM unnest($1::date[], $2::text[]::numeric[])
  ON CONFLICT (day) DO UPDATE SET usd_per_unit = excluded.usd_per_unit`;

/** Replaces the rates of days that have one. Each day must be there once. */
export async function storeExchangeRates(transaction: Transaction, rates: ExchangeRate[]): Promise<void> {
  await transaction.query(STORE, [rates.map(({ day }) => day), rates.map(({ usdPerUnit }) => usdPerUnit)]);
}
