import { BigIntColumn, PicosColumn } from '@inference/database';
import { Check, Entity, ForeignKey } from 'typeorm';
import { PriceList } from './price-list.entity';

@Entity('training_prices', { schema: 'pricing' })
@Check('training_prices_gpu_hour_picos_check', 'gpu_hour_picos >= 0')
@Check('training_prices_token_rate_picos_check', 'token_rate_picos >= 0')
export class TrainingPrice {
  @ForeignKey(() => PriceList)
  @BigIntColumn({ primary: true })
  priceListId!: bigint;

  @PicosColumn()
  tokenRatePicos!: bigint;

  @PicosColumn({ nullable: true })
  gpuHourPicos!: bigint | null;
}
