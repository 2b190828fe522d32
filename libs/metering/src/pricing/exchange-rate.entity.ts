import { DecimalColumn } from '@inference/database';
import { Check, Entity, PrimaryColumn } from 'typeorm';

/**
 * The value of one unit of the site's currency in USD. A request uses the rate of its day, or of the last day before it
 * that has one.
 */
@Entity('exchange_rates', { schema: 'pricing' })
@Check('exchange_rates_usd_per_unit_check', 'usd_per_unit > 0')
export class ExchangeRate {
  /** `YYYY-MM-DD` in UTC. */
  @PrimaryColumn('date')
  day!: string;

  @DecimalColumn({ precision: 20, scale: 10 })
  usdPerUnit!: string;
}
