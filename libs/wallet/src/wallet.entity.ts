import { type Currency } from '@inference/config';
import { PicosColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** The money of an account. Leases and deductions cannot exceed the balance. */
@Entity('wallets', { schema: 'wallet' })
@Check('wallet_covers_leases', 'leased_picos >= 0 AND balance_picos >= leased_picos')
@Check('wallets_currency_check', "currency IN ('USD', 'CNY')")
export class Wallet {
  @ForeignKey('accounts')
  @PrimaryColumn('text')
  accountId!: string;

  /** The site's currency. */
  @Column('text')
  currency!: Currency;

  /** Top-ups and adjustments minus settled usage. Includes money in leases. */
  @PicosColumn({ default: 0 })
  balancePicos!: bigint;

  /** Sum of the leases. */
  @PicosColumn({ default: 0 })
  leasedPicos!: bigint;

  /** Whether a notice is sent when the balance falls below the threshold. True again once the balance has reached it. */
  @Column('boolean', { default: false })
  lowBalanceNoticeDue!: boolean;

  /** Balance below which a notice is sent. Null: the threshold of the site. 0: no notice, because no balance is below 0. */
  @PicosColumn({ nullable: true })
  lowBalanceThresholdPicos!: bigint | null;

  /** Until then a deduction waits for money that gateways return, and they draw only what their requests need. */
  @TimeColumn({ nullable: true })
  deductionWaitsUntil!: Date | null;
}
