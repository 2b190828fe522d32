import { type Executor, type Transaction } from '@inference/database';
import { ExchangeRate } from '@inference/metering';

const STORE = `
  INSERT INTO pricing.exchange_rates (day, usd_per_unit)
  SELECT * FROM unnest($1::date[], $2::text[]::numeric[])
  ON CONFLICT (day) DO UPDATE SET usd_per_unit = excluded.usd_per_unit`;

/** Up to `count` rates of days before `beforeDay` (null: all days), newest day first. */
export function listExchangeRates(
  executor: Executor,
  beforeDay: string | null,
  count: number,
): Promise<ExchangeRate[]> {
  const rates = executor.repository(ExchangeRate).createQueryBuilder('rate').orderBy('rate.day', 'DESC');
  if (beforeDay !== null) rates.where('rate.day < :beforeDay', { beforeDay });
  return rates.take(count).getMany();
}

/** The rate of today; null if no day until today, in UTC, has one. */
export function findCurrentExchangeRate(executor: Executor): Promise<ExchangeRate | null> {
  return executor
    .repository(ExchangeRate)
    .createQueryBuilder('rate')
    .where("rate.day <= (now() AT TIME ZONE 'UTC')::date")
    .orderBy('rate.day', 'DESC')
    .getOne();
}

/** Replaces the rates of days that have one. Each day must be there once. */
export async function storeExchangeRates(transaction: Transaction, rates: ExchangeRate[]): Promise<void> {
  await transaction.query(STORE, [rates.map(({ day }) => day), rates.map(({ usdPerUnit }) => usdPerUnit)]);
}
