import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Wallet } from './wallet.entity';

/** A movement of a wallet's money. Append-only; its amount is in its entries. */
@Entity('transfers', { schema: 'wallet' })
@Index('transfers_statement', ['accountId', 'createdAt', 'id'], { where: "kind <> 'usage'" })
@Index('transfers_usage', ['accountId', 'hour'], { where: "kind = 'usage'" })
@Check('transfers_check', "(kind = 'usage') = (model IS NOT NULL AND hour IS NOT NULL)")
@Check('transfers_kind_check', "kind IN ('topup', 'usage', 'adjustment')")
@Unique(['reference'])
export class Transfer {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  kind!: 'topup' | 'usage' | 'adjustment';

  @ForeignKey(() => Wallet)
  @Column('text')
  accountId!: string;

  /** Identifies the reason of the transfer, so that the same reason cannot be booked twice. */
  @Column('text')
  reference!: string;

  @Column('text')
  description!: string;

  /** Set for usage only, as `hour` is. Reconciliation compares both with the hourly rollup. */
  @Column('text', { nullable: true })
  model!: string | null;

  /** Start of the hour (UTC) of the usage. */
  @TimeColumn({ nullable: true })
  hour!: Date | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
