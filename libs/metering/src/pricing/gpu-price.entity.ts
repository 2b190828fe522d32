import { BigIntColumn, PicosColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { PriceList } from './price-list.entity';

/** The price of a GPU in one price list. */
@Entity('gpu_prices', { schema: 'pricing' })
@Check('gpu_prices_hourly_price_picos_check', 'hourly_price_picos >= 0')
export class GpuPrice {
  @ForeignKey(() => PriceList)
  @BigIntColumn({ primary: true })
  priceListId!: bigint;

  /** Place in the list, from 1. */
  @Column('integer')
  position!: number;

  @PrimaryColumn('text')
  name!: string;

  @PicosColumn()
  hourlyPricePicos!: bigint;
}
