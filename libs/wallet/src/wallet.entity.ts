import { type Currency } from '@inference/config';
import { PicosColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

@Entity('wallets', { schema: 'wallet' })
@Check('wallet_covers_leases', 'leased_picos >= 0 AND balance_picos >= leased_picos')
@Check('wallets_currency_check', "currency IN ('USD', 'CNY')")
export class Wallet {
  @ForeignKey('accounts')
  @PrimaryColumn('text')
  accountId!: string;

  @Column('text')
  currency!: Currency;

  /** Top-ups and adjustments minus settled usage. Includes money in leases. */
  @PicosColumn({ default: 0 })
  balancePicos!: bigint;

  @PicosColumn({ default: 0 })
  leasedPicos!: bigint;

  @Column('boolean', { default: false })
  lowBalanceNoticeDue!: boolean;

  @TimeColumn({ nullable: true })
  deductionWaitsUntil!: Date | null;
}
