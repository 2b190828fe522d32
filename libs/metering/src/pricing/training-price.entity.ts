import { BigIntColumn, PicosColumn } from '@inference/database';
import { Check, Entity, ForeignKey } from 'typeorm';
import { PriceList } from './price-list.entity';

/** The price of training in one price list. */
@Entity('training_prices', { schema: 'pricing' })
@Check('training_prices_gpu_hour_picos_check', 'gpu_hour_picos >= 0')
@Check('training_prices_token_rate_picos_check', 'token_rate_picos >= 0')
export class TrainingPrice {
  @ForeignKey(() => PriceList)
  @BigIntColumn({ primary: true })
  priceListId!: bigint;

  /** Picos for one token. */
  @PicosColumn()
  tokenRatePicos!: bigint;

  /** Picos for one hour of a GPU. Null in a migrated price if no GPU price was published. */
  @PicosColumn({ nullable: true })
  gpuHourPicos!: bigint | null;
}
