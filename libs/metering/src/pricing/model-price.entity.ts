import { BigIntColumn, PicosColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { type PriceUnit } from './price-unit';
import { PriceList } from './price-list.entity';

/** The price of one unit of a model in one price list. */
@Entity('model_prices', { schema: 'pricing' })
@Check('model_prices_rate_picos_check', 'rate_picos >= 0')
@Check(
  'model_prices_unit_check',
  "unit IN ('per_million_tokens', 'per_million_input_tokens', 'per_million_output_tokens', 'per_request')",
)
export class ModelPrice {
  @ForeignKey(() => PriceList)
  @BigIntColumn({ primary: true })
  priceListId!: bigint;

  /** Place in the list, from 1. */
  @Column('integer')
  position!: number;

  /** The model. */
  @PrimaryColumn('text')
  slug!: string;

  @PrimaryColumn('text')
  unit!: PriceUnit;

  /** Picos for one token or request, not for the million that the unit names. */
  @PicosColumn()
  ratePicos!: bigint;
}
