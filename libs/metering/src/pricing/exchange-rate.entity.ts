import { DecimalColumn } from '@inference/database';
import { Check, Entity, PrimaryColumn } from 'typeorm';

@Entity('exchange_rates', { schema: 'pricing' })
@Check('exchange_rates_usd_per_unit_check', 'usd_per_unit > 0')
export class ExchangeRate {
  @PrimaryColumn('date')
  day!: string;

  @DecimalColumn({ precision: 20, scale: 10 })
  usdPerUnit!: string;
}
