import { PicosColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

@Entity('key_budgets', { schema: 'wallet' })
@Check('key_budgets_leased_picos_check', 'leased_picos >= 0')
@Check('key_budgets_limit_picos_check', 'limit_picos >= 0')
export class KeyBudget {
  @ForeignKey('api_keys')
  @PrimaryColumn('text')
  apiKeyId!: string;

  @ForeignKey('accounts')
  @Column('text')
  accountId!: string;

  @PicosColumn({ nullable: true })
  limitPicos!: bigint | null;

  @PicosColumn({ default: 0 })
  spentPicos!: bigint;

  @PicosColumn({ default: 0 })
  leasedPicos!: bigint;
}
