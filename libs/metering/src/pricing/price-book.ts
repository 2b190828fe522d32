import { type Site } from '@inference/config';
import { type Database, type NotificationChannel } from '@inference/database';
import { decimalToScaled } from '@inference/money';
import { RATE_DIGITS } from './charge';
import { type PriceUnit, type UnitRate } from './price-unit';

export { RATE_DIGITS } from './charge';

/** The published price list in force now. */
export interface PricesInForce {
  priceListId: bigint;
  effectiveFrom: Date;
  /** Published rates by model slug. */
  models: ReadonlyMap<string, readonly UnitRate[]>;
  /** What one unit of the site's currency is worth in USD × 10^10; null when no rate is stored. */
  usdPerUnit: bigint | null;
}

interface Row {
  price_list_id: bigint;
  effective_from: Date;
  slug: string | null;
  unit: PriceUnit;
  rate_picos: bigint;
  usd_per_unit: string | null;
}

/** Longest age of cached prices if neither a notification nor a reconnection announces a change. */
const MAX_AGE_MILLIS = 2_000;

const IN_FORCE = `
  SELECT l.id AS price_list_id, l.effective_from, p.slug, p.unit, p.rate_picos,
    (SELECT usd_per_unit::text FROM pricing.exchange_rates WHERE day <= (now() AT TIME ZONE 'UTC')::date
     ORDER BY day DESC LIMIT 1) AS usd_per_unit
  FROM (SELECT id, effective_from FROM pricing.price_lists WHERE kind = 'models' ORDER BY id DESC LIMIT 1) l
  LEFT JOIN pricing.model_prices p ON p.price_list_id = l.id AND p.slug IS DISTINCT FROM $1 ORDER BY p.position`;

/** Caches the model prices in force and reads them again when a new list is announced (NOTIFY `pricing`). */
export class PriceBook {
  private prices: Promise<PricesInForce> | undefined;
  private readAtMillis = 0;

  /** @param trainingSlug the model that usage of training names; a price of it is left out */
  constructor(
    private readonly database: Database,
    private readonly site: Site,
    channel: NotificationChannel,
    private readonly trainingSlug: string,
  ) {
    channel.on('pricing', () => (this.prices = undefined));
    channel.onReconnect(() => (this.prices = undefined));
  }

  /** Returns the prices in force; at most MAX_AGE_MILLIS old. Rejects if the database is unavailable and nothing is cached. */
  inForce(): Promise<PricesInForce> {
    if (!this.prices || performance.now() - this.readAtMillis > MAX_AGE_MILLIS) {
      this.readAtMillis = performance.now();
      const reading = this.read();
      reading.catch(() => {
        if (this.prices === reading) this.prices = undefined;
      });
      this.prices = reading;
    }
    return this.prices;
  }

  private async read(): Promise<PricesInForce> {
    const { rows } = await this.database.query<Row>(IN_FORCE, [this.trainingSlug]);
    const models = new Map<string, UnitRate[]>();
    for (const { slug, unit, rate_picos: ratePicos } of rows) {
      if (slug !== null) models.set(slug, [...(models.get(slug) ?? []), { unit, ratePicos }]);
    }
    const stored = rows[0]?.usd_per_unit;
    const usdPerUnit =
      this.site === 'intl'
        ? decimalToScaled('1', RATE_DIGITS)
        : stored
          ? decimalToScaled(stored, RATE_DIGITS)
          : null;
    const [first] = rows;
    return {
      priceListId: first?.price_list_id ?? 0n,
      effectiveFrom: first?.effective_from ?? new Date(0),
      models,
      usdPerUnit,
    };
  }
}
