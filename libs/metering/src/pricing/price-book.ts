import { type Site, TIME_ZONE_BY_SITE } from '@inference/config';
import { type Database, type NotificationChannel } from '@inference/database';
import { decimalToScaled } from '@inference/money';
import { RATE_DIGITS } from './charge';
import { type Price, pricesAt } from './price';
import { readModelPrices } from './prices.repository';

export { RATE_DIGITS } from './charge';

/** The prices that a call which begins now is charged at. */
export interface PricesInForce {
  priceListId: bigint;
  /** Of the list. */
  effectiveFrom: Date;
  /** By model slug the prices that hold now; those for a context or service tier are chosen when the usage is known. */
  models: ReadonlyMap<string, readonly Price[]>;
  /** What one unit of the site's currency is worth in USD × 10^10; null when no rate is stored. */
  usdPerUnit: bigint | null;
}

/** The newest list, with prices that hold at other times. */
type NewestList = PricesInForce & {
  /** The instants at which prices become effective, in order. */
  starts: number[];
  hasHours: boolean;
};

/** Longest age of cached prices if neither a notification nor a reconnection announces a change. */
const MAX_AGE_MILLIS = 2_000;
/** Daily windows begin and end with a minute, in every time zone. */
const MINUTE_MILLIS = 60_000;

/** Caches the model prices in force and reads them again when a new list is announced (NOTIFY `pricing`). */
export class PriceBook {
  private list: Promise<NewestList> | undefined;
  /** What holds from the one instant until the other, of one list. */
  private holding: { list: NewestList; from: number; until: number; prices: PricesInForce } | undefined;
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
      this.list = undefined;
    };
    channel.on('pricing', forget);
    channel.onReconnect(forget);
  }

  /** Returns the prices in force; at most MAX_AGE_MILLIS old. Rejects if the database is unavailable and nothing is cached. */
  async inForce(): Promise<PricesInForce> {
    return this.holdingAt(await this.newestList(), new Date());
  }

  /**
   * Returns an instant of now and the prices that are in force at it as far as this process can know. The instant is never before the list came
   * into force, even if the clock of this host is slow. A list that was announced before the instant counts, also if it was announced
   * while older prices were read.
   */
  async decide(): Promise<{ at: Date; prices: PricesInForce }> {
    let list: NewestList;
    let announcements: number;
    do {
      ({ announcements } = this);
      list = await this.newestList();
    } while (announcements !== this.announcements);
    // Dates cut the microseconds of the database.
    const firstMillis = list.effectiveFrom.getTime() + 1;
    const at = new Date(Math.max(Date.now(), firstMillis));
    return { at, prices: this.holdingAt(list, at) };
  }

  private newestList(): Promise<NewestList> {
    if (!this.list || performance.now() - this.readAtMillis > MAX_AGE_MILLIS) {
      this.readAtMillis = performance.now();
      const reading = this.read();
      reading.catch(() => {
        if (this.list === reading) this.list = undefined;
      });
      this.list = reading;
    }
    return this.list;
  }

  private holdingAt(list: NewestList, at: Date): PricesInForce {
    const millis = at.getTime();
    const { holding } = this;
    if (holding?.list === list && holding.from <= millis && millis < holding.until) return holding.prices;
    const models = new Map<string, Price[]>();
    for (const [slug, prices] of list.models) {
      const held = pricesAt(prices, at, TIME_ZONE_BY_SITE[this.site]);
      if (held.length > 0) models.set(slug, held);
    }
    const nextStart = list.starts.find((start) => start > millis) ?? Infinity;
    const nextMinute = list.hasHours ? (Math.floor(millis / MINUTE_MILLIS) + 1) * MINUTE_MILLIS : Infinity;
    const prices = { ...list, models };
    this.holding = { list, from: millis, until: Math.min(nextStart, nextMinute), prices };
    return prices;
  }

  private async read(): Promise<NewestList> {
    const rows = await readModelPrices(this.database, this.trainingSlug);
    const models = new Map<string, Price[]>();
    for (const row of rows) {
      const { slug, unit, ratePicos, minInputTokens, serviceTier, hours, effectiveFrom, position } = row;
      if (slug === null) continue;
      const price = { unit, ratePicos, minInputTokens, serviceTier, hours, effectiveFrom, position };
      const prices = models.get(slug);
      if (prices) prices.push(price);
      else models.set(slug, [price]);
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
      effectiveFrom: first?.listEffectiveFrom ?? new Date(0),
      models,
      usdPerUnit,
      starts: rows.flatMap(({ effectiveFrom }) => effectiveFrom?.getTime() ?? []).sort((a, b) => a - b),
      hasHours: rows.some(({ hours }) => hours),
    };
  }
}
