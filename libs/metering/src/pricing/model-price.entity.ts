import { BigIntColumn, PicosColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { type PriceUnit } from './price-unit';
import { PriceList } from './price-list.entity';

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

  @Column('integer')
  position!: number;

  @PrimaryColumn('text')
  slug!: string;

  @PrimaryColumn('text')
  unit!: PriceUnit;

  @PicosColumn()
  ratePicos!: bigint;
}
