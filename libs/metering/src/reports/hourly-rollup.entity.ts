import { PicosColumn, TimeColumn } from '@inference/database';
import { Entity, Index, PrimaryColumn } from 'typeorm';

@Entity('hourly_rollup', { schema: 'metering' })
@Index('hourly_rollup_hour', ['hour'])
export class HourlyRollup {
  @PrimaryColumn('text')
  accountId!: string;

  @TimeColumn({ primary: true })
  hour!: Date;

  @PrimaryColumn('text')
  model!: string;

  @PrimaryColumn('text')
  entrypoint!: string;

  @PrimaryColumn('text')
  unit!: string;

  @PicosColumn()
  quantity!: bigint;

  @PicosColumn()
  tokens!: bigint;

  @PicosColumn()
  costPicos!: bigint;

  @PicosColumn()
  costUsdPicos!: bigint;
}
