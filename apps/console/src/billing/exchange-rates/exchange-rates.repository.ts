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

/** Tells lists of rates apart; 0 without any rate. */
export async function exchangeRatesVersion(executor: Executor): Promise<string> {
  const { rows } = await executor.query<{ version: string }>(
    `SELECT coalesce(left(encode(sha256(convert_to(string_agg(day || ' ' || usd_per_unit, ',' ORDER BY day), 'UTF8')), 'hex'), 32), '0')
       AS version
     FROM pricing.exchange_rates`,
  );
  return rows[0]!.version;
}

/** Others wait to change rates until the transaction ends. */
export async function lockExchangeRates(transaction: Transaction): Promise<void> {
  await transaction.query("SELECT pg_advisory_xact_lock(hashtext('pricing.exchange_rates'))");
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
