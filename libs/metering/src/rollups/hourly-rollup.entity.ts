import { BigIntColumn, CountColumn, PicosColumn, TimeColumn } from '@inference/database';
import { Entity, Index, PrimaryColumn } from 'typeorm';
import { type PriceUnit } from '../pricing/price-unit';

/** Sums of an account's usage events by hour, model, entrypoint, unit and API key. Settlement adds to them. */
@Entity('hourly_rollup', { schema: 'metering' })
@Index('hourly_rollup_hour', ['hour'])
export class HourlyRollup {
  @PrimaryColumn('text')
  accountId!: string;

  /** Start of the hour (UTC). */
  @TimeColumn({ primary: true })
  hour!: Date;

  @PrimaryColumn('text')
  model!: string;

  /** The service that took the request. */
  @PrimaryColumn('text')
  entrypoint!: string;

  @PrimaryColumn('text')
  unit!: PriceUnit;

  /** Empty for requests without an API key. */
  @PrimaryColumn('text', { default: '' })
  apiKeyId!: string;

  /** Tokens or requests, depending on the unit. */
  @CountColumn()
  quantity!: bigint;

  /** Each token of a request is counted in one unit only. */
  @CountColumn()
  tokens!: bigint;

  @PicosColumn()
  costPicos!: bigint;

  /** In 10⁻¹² USD. */
  @PicosColumn()
  costUsdPicos!: bigint;

  /** Calls, each counted in one unit only. Null: the hour has calls that were settled before they were counted. */
  @BigIntColumn({ nullable: true })
  calls!: bigint | null;
}
