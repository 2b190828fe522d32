import { type PriceUnit } from './price-unit';

/** The tiers of service that a price may be for, as upstreams report them. */
export const SERVICE_TIERS = ['batch', 'flex', 'priority'] as const;
export type ServiceTier = (typeof SERVICE_TIERS)[number];

/** When a price holds. A condition that is absent holds always. */
export interface PriceConditions {
  /** For calls with at least so many tokens of input, cached ones included; then for the whole call. */
  minInputTokens?: number | null;
  /** For calls that the upstream reports as served so. */
  serviceTier?: ServiceTier | null;
  /** For calls that begin in this daily window of the site's time zone, `HH:MM-HH:MM`, without its end. It may pass midnight. */
  hours?: string | null;
}

/** The price of one unit of a model. */
export interface Price extends PriceConditions {
  unit: PriceUnit;
  /** In picos, for as many counted things as `countsOfRate` says: mostly one. */
  ratePicos: bigint;
  /** From when on this price replaces the one with the same unit and conditions. Absent: as long as its list is in force. */
  effectiveFrom?: Date | null;
  /** Place in its price list, from 1. */
  position?: number;
}

/** A price without conditions. */
export type UnitRate = Pick<Price, 'unit' | 'ratePicos'>;

/** How many conditions a price has. The start of a price is none: from then on it stands for the former one. */
export const conditionCount = ({ minInputTokens, serviceTier, hours }: PriceConditions): number =>
  (minInputTokens ? 1 : 0) + (serviceTier ? 1 : 0) + (hours ? 1 : 0);

const kindsOf = ({ minInputTokens, serviceTier, hours }: PriceConditions): string =>
  `${minInputTokens ? 'm' : ''}${serviceTier ? 's' : ''}${hours ? 'h' : ''}`;

/** Names the conditions: prices of a unit with equal ones replace each other, from the instant on at which they are effective. */
export const conditionsKey = ({ minInputTokens, serviceTier, hours }: PriceConditions): string =>
  `${minInputTokens ?? ''} ${serviceTier ?? ''} ${hours ?? ''}`;

/**
 * Which of two prices of one unit that both hold for a call is charged: the one with more conditions; of equal kinds of conditions the
 * one of the higher context tier. Positive: the first; 0: neither, which no published list allows.
 */
export function precedence(one: PriceConditions, other: PriceConditions): number {
  const byCount = conditionCount(one) - conditionCount(other);
  if (byCount !== 0 || kindsOf(one) !== kindsOf(other)) return byCount;
  return (one.minInputTokens ?? 0) - (other.minInputTokens ?? 0);
}

/** Whether the conditions on the call hold; `hours` was judged before. */
export const holdsFor = (
  { minInputTokens, serviceTier }: PriceConditions,
  call: { inputTokens: number; serviceTier: string | null },
): boolean =>
  (!minInputTokens || call.inputTokens >= minInputTokens) &&
  (!serviceTier || serviceTier === call.serviceTier);

const MINUTES_OF_DAY = 24 * 60;
export const HOURS_FORM = /^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/;

/** A daily window by its ends, in minutes of the day. */
export interface DailyWindow {
  from: number;
  to: number;
}

export function minutesOf(hours: string): DailyWindow {
  const [from, to] = hours.split('-').map((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3)));
  return { from: from!, to: to! };
}

/** Whether a minute of the day is in the window. */
export const isWithin = ({ from, to }: DailyWindow, minute: number): boolean =>
  from < to ? from <= minute && minute < to : minute >= from || minute < to;

const clocks = new Map<string, Intl.DateTimeFormat>();

/** The minute of the day that clocks in the time zone show. */
export function minuteOfDay(at: Date, timeZone: string): number {
  let clock = clocks.get(timeZone);
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-GB', {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    clocks.set(timeZone, clock);
  }
  const [hour, minute] = clock.format(at).split(':').map(Number);
  return (hour! * 60 + minute!) % MINUTES_OF_DAY;
}

/**
 * The prices of a list that a call which begins at this instant may be charged at: of prices with equal unit and conditions the newest
 * that is effective. The daily windows are judged by clocks in the time zone, so one lasts an hour less or more on a day on which
 * they are changed.
 */
export function pricesAt<P extends Price>(prices: readonly P[], at: Date, timeZone: string): P[] {
  let minute: number | undefined;
  return newestEffective(prices, at).filter(
    ({ hours }) => !hours || isWithin(minutesOf(hours), (minute ??= minuteOfDay(at, timeZone))),
  );
}

/** When a price becomes effective, in milliseconds; before all times if it is as long as its list is in force. */
export const startOf = ({ effectiveFrom }: Pick<Price, 'effectiveFrom'>): number =>
  effectiveFrom?.getTime() ?? -Infinity;

/** Of prices with equal unit and conditions the newest that is effective at the instant, in their order. */
export function newestEffective<P extends Price>(prices: readonly P[], at: Date): P[] {
  const newest = new Map<string, P>();
  const effective = prices.filter((price) => startOf(price) <= at.getTime());
  for (const price of effective) {
    const key = `${price.unit} ${conditionsKey(price)}`;
    const known = newest.get(key);
    if (!known || startOf(price) > startOf(known)) newest.set(key, price);
  }
  return newest.size === effective.length
    ? effective
    : effective.filter((price) => newest.get(`${price.unit} ${conditionsKey(price)}`) === price);
}

/** Whether prices have one for any of these units, be it 0. */
export const hasPriceOf = (prices: readonly Pick<Price, 'unit'>[], units: readonly PriceUnit[]): boolean =>
  prices.some(({ unit }) => units.includes(unit));

/**
 * Whether the prices say what an answer of text costs, be it nothing: a model that is priced by tokens needs a price of its output tokens,
 * and any other one a price of the request. Images, audio and characters are no text.
 */
export function pricesOutput(prices: readonly Pick<Price, 'unit'>[]): boolean {
  if (hasPriceOf(prices, ['per_million_tokens', 'per_million_output_tokens'])) return true;
  return prices.every(({ unit }) => !unit.endsWith('_tokens')) && hasPriceOf(prices, ['per_request']);
}
