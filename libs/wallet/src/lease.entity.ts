import { PicosColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { KeyBudget } from './key-budget.entity';
import { Wallet } from './wallet.entity';

@Entity('leases', { schema: 'wallet' })
@Index('leases_account', ['accountId'])
@Index('leases_expiry', ['expiresAt'])
@Check('leases_amount_picos_check', 'amount_picos >= 0')
export class Lease {
  @PrimaryColumn('text')
  id!: string;

  @ForeignKey(() => Wallet)
  @Column('text')
  accountId!: string;

  @ForeignKey(() => KeyBudget)
  @Column('text', { nullable: true })
  apiKeyId!: string | null;

  @Column('text')
  holder!: string;

  @PicosColumn()
  amountPicos!: bigint;

  @TimeColumn()
  expiresAt!: Date;
}
