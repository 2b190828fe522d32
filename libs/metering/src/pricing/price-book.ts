import { type Site } from '@inference/config';
import { type Database, type NotificationChannel } from '@inference/database';
import { decimalToScaled } from '@inference/money';
import { RATE_DIGITS } from './charge';
import { type UnitRate } from './price-unit';
import { readModelPrices } from './prices.repository';

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

/** Longest age of cached prices if neither a notification nor a reconnection announces a change. */
const MAX_AGE_MILLIS = 2_000;

/** Caches the model prices in force and reads them again when a new list is announced (NOTIFY `pricing`). */
export class PriceBook {
  private prices: Promise<PricesInForce> | undefined;
  private readAtMillis = 0;
  /** How often a change of prices was announced. */
  private announcements = 0;

  /** @param trainingSlug the model that usage of training names; a price of it is left out */
  constructor(
    private readonly database: Database,
    private readonly site: Site,
    channel: NotificationChannel,
    private readonly trainingSlug: string,
  ) {
    const forget = () => {
      this.announcements++;
      this.prices = undefined;
    };
    channel.on('pricing', forget);
    channel.onReconnect(forget);
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

  /**
   * Returns an instant of now and the prices that are in force at it as far as this process can know. The instant is never before the list came
   * into force, even if the clock of this host is slow. A list that was announced before the instant counts, also if it was announced
   * while older prices were read.
   */
  async decide(): Promise<{ at: Date; prices: PricesInForce }> {
    let prices: PricesInForce;
    let announcements: number;
    do {
      ({ announcements } = this);
      prices = await this.inForce();
    } while (announcements !== this.announcements);
    // Dates cut the microseconds of the database.
    const firstMillis = prices.effectiveFrom.getTime() + 1;
    return { at: new Date(Math.max(Date.now(), firstMillis)), prices };
  }

  private async read(): Promise<PricesInForce> {
    const rows = await readModelPrices(this.database, this.trainingSlug);
    const models = new Map<string, UnitRate[]>();
    for (const { slug, unit, ratePicos } of rows) {
      if (slug !== null) models.set(slug, [...(models.get(slug) ?? []), { unit, ratePicos }]);
    }
    const stored = rows[0]?.usdPerUnit;
    const usdPerUnit =
      this.site === 'intl'
        ? decimalToScaled('1', RATE_DIGITS)
        : stored
          ? decimalToScaled(stored, RATE_DIGITS)
          : null;
    const [first] = rows;
    return {
      priceListId: first?.priceListId ?? 0n,
      effectiveFrom: first?.effectiveFrom ?? new Date(0),
      models,
      usdPerUnit,
    };
  }
}
