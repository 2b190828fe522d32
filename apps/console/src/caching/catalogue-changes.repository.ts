import { type Executor } from '@inference/database';
import { Raw } from 'typeorm';
import { CatalogueChange, type Topic } from './catalogue-change.entity';

/** An HTTP date has a resolution of one second: a later change within the same second would get the same date. */
const beforeThisSecond = Raw((column) => `${column} < date_trunc('second', clock_timestamp())`);

/**
 * When a public part of the catalogue last changed, removals included. Returns null before the first change and within
 * the second of a change. Call it before reading the content: the content may then be newer than its date, never older.
 */
export async function readLastChange(executor: Executor, topic: Topic): Promise<Date | null> {
  const change = await executor.repository(CatalogueChange).findOneBy({ topic, changedAt: beforeThisSecond });
  return change?.changedAt ?? null;
}

/** A text that differs after every change of the catalogue. */
export async function readCatalogueVersion(executor: Executor): Promise<string> {
  const changes = await executor
    .repository(CatalogueChange)
    .createQueryBuilder('change')
    .select('change.topic', 'topic')
    // A Date has no microseconds.
    .addSelect('CAST(change.changedAt AS text)', 'version')
    .orderBy('change.topic')
    .getRawMany<{ topic: string; version: string }>();
  const { rows } = await executor.query<{ effective: number }>(EFFECTIVE_PRICES);
  return JSON.stringify([changes, rows[0]!.effective]);
}

/** How many prices of the newest list have become effective since its publication. */
const EFFECTIVE_PRICES = `
  SELECT count(*)::integer AS effective FROM pricing.further_model_prices
  WHERE price_list_id = (SELECT max(id) FROM pricing.price_lists WHERE kind = 'models') AND effective_from <= clock_timestamp()`;
