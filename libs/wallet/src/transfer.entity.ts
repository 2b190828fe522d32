import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Wallet } from './wallet.entity';

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
  kind!: string;

  @ForeignKey(() => Wallet)
  @Column('text')
  accountId!: string;

  @Column('text')
  reference!: string;

  @Column('text')
  description!: string;

  @Column('text', { nullable: true })
  model!: string | null;

  @TimeColumn({ nullable: true })
  hour!: Date | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
