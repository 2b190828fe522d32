import { PicosColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** What an API key has spent and may spend. */
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

  /** Null: no limit. */
  @PicosColumn({ nullable: true })
  limitPicos!: bigint | null;

  @PicosColumn({ default: 0 })
  spentPicos!: bigint;

  /** The part of the limit that is set aside in leases. */
  @PicosColumn({ default: 0 })
  leasedPicos!: bigint;

  /** When the limit was last changed; null: never. A lower limit may be below what the key has spent by then. */
  @TimeColumn({ nullable: true })
  limitChangedAt!: Date | null;
}
