import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { type Currency } from '@inference/config';
import { inTransaction, type Sql, SQL_POOL, type SqlPool } from '@inference/database';
import { type CacheableResponse } from '../../caching/cached.decorator';
import { readLastChange } from '../../caching/topic-changes';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { type Actor } from '../../identity/audit-log/actor';
import { recordActorEvent } from '../../identity/audit-log/audit-log';
import {
  type GpuPriceRow,
  gpuPriceView,
  type GpuPriceView,
  type ModelPriceRow,
  modelPriceView,
  type ModelPriceView,
  type PriceListKind,
} from './price-views';
import { type GpuPrice, type ModelPrice } from './pricing.dto';

const NEWEST = 'SELECT max(id) FROM pricing.price_lists WHERE kind =';
const MODELS = `
  SELECT slug, unit, rate_picos FROM pricing.model_prices
  WHERE price_list_id = (${NEWEST} 'models') ORDER BY position LIMIT $1`;
const GPUS = `
  SELECT name, hourly_price_picos FROM pricing.gpu_prices
  WHERE price_list_id = (${NEWEST} 'gpus') ORDER BY position LIMIT $1`;
const INSERT_MODELS = `
  INSERT INTO pricing.model_prices (price_list_id, position, slug, unit, rate_picos)
  SELECT $1, row.position, row.slug, row.unit, row.rate
  FROM unnest($2::text[], $3::text[], $4::numeric[]) WITH ORDINALITY AS row (slug, unit, rate, position)`;
const INSERT_GPUS = `
  INSERT INTO pricing.gpu_prices (price_list_id, position, name, hourly_price_picos)
  SELECT $1, row.position, row.name, row.price
  FROM unnest($2::text[], $3::numeric[]) WITH ORDINALITY AS row (name, price, position)`;

/** The published prices. A new list replaces the previous one, which stays as history. */
@Injectable()
export class PricingService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /** The current lists, each with up to `limit` rows; null: all. */
  async read(limit: number | null): Promise<CacheableResponse> {
    const changedAt = await readLastChange(this.pool, 'prices');
    const [models, gpus] = await Promise.all([this.readModels(limit), this.readGpus(limit)]);
    return { body: { models, gpus }, changedAt };
  }

  /** Up to `limit` rows; null: all. */
  async readModels(limit: number | null): Promise<ModelPriceView[]> {
    const { rows } = await this.pool.query<ModelPriceRow>(MODELS, [limit]);
    return rows.map((row) => modelPriceView(row, this.site.currency));
  }

  /** Up to `limit` rows; null: all. */
  async readGpus(limit: number | null): Promise<GpuPriceView[]> {
    const { rows } = await this.pool.query<GpuPriceRow>(GPUS, [limit]);
    return rows.map((row) => gpuPriceView(row, this.site.currency));
  }

  async publishModels(models: ModelPrice[], admin: Actor): Promise<void> {
    this.requireSiteCurrency('models', models);
    await this.publish('models', admin, INSERT_MODELS, [
      models.map(({ slug }) => slug),
      models.map(({ unit }) => unit),
      models.map(({ ratePicos }) => ratePicos),
    ]);
  }

  async publishGpus(gpus: GpuPrice[], admin: Actor): Promise<void> {
    this.requireSiteCurrency('gpus', gpus);
    await this.publish('gpus', admin, INSERT_GPUS, [
      gpus.map(({ name }) => name),
      gpus.map(({ hourlyPricePicos }) => hourlyPricePicos),
    ]);
  }

  private requireSiteCurrency(list: PriceListKind, rows: { currency?: Currency | undefined }[]): void {
    const wrong = rows.findIndex(({ currency }) => currency !== undefined && currency !== this.site.currency);
    if (wrong < 0) return;
    throw new BadRequestException(`${list}.${wrong}.currency: this site's currency is ${this.site.currency}`);
  }

  private async publish(
    kind: PriceListKind,
    admin: Actor,
    insertRows: string,
    columns: unknown[][],
  ): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      const listId = await this.openList(client, kind, admin.accountId);
      await client.query(insertRows, [listId, ...columns]);
      await recordActorEvent(client, admin, 'admin.prices_published', {
        list: kind,
        rows: columns[0]?.length ?? 0,
      });
    });
  }

  /** Inserts a list under a lock: the newest list is the one with the highest id, so ids must be committed in order. */
  private async openList(sql: Sql, kind: PriceListKind, adminId: string): Promise<bigint> {
    await sql.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`pricing.price_lists ${kind}`]);
    const { rows } = await sql.query<{ id: bigint }>(
      'INSERT INTO pricing.price_lists (kind, published_by) VALUES ($1, $2) RETURNING id',
      [kind, adminId],
    );
    return rows[0]!.id;
  }
}
