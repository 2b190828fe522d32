import { type Currency } from '@inference/config';
import { PicosColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

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

  /** Top-ups and adjustments minus folded usage. Includes money in leases. */
  @PicosColumn({ default: 0 })
  balancePicos!: bigint;

  /** Sum of the leases and of the usage that waits to be folded. */
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

/** A movement of a wallet's money. Append-only; its amount is in its entries. */
@Entity('transfers', { schema: 'wallet' })
@Index('transfers_statement', ['accountId', 'createdAt', 'id'], { where: "kind <> 'usage'" })
@Index('transfers_time', ['createdAt', 'id'], { where: "kind <> 'usage'" })
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

/** One side of a transfer; the entries of a transfer sum to zero. Append-only. */
@Entity('entries', { schema: 'wallet' })
@Index('entries_account', ['ledgerAccount'])
export class LedgerEntry {
  @ForeignKey(() => Transfer)
  @PrimaryColumn('text')
  transferId!: string;

  /** `wallet:<account id>`, `revenue:usage`, `equity:adjustments` or `provider:<payment provider>`. */
  @PrimaryColumn('text')
  ledgerAccount!: string;

  /** Negative if the money leaves the ledger account. */
  @PicosColumn()
  amountPicos!: bigint;
}

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

  /** The part of the limit that is set aside in leases and by usage that waits to be folded. */
  @PicosColumn({ default: 0 })
  leasedPicos!: bigint;

  /** For how long the limit counts; all but `total` begin anew with a day of the time zone. */
  @Column('text', { default: 'total' })
  period!: 'total' | 'day' | 'week' | 'month';

  @Column('text', { default: 'UTC' })
  timeZone!: string;

  /** First day of the period of `periodSpentPicos`; null: nothing was counted by period. */
  @Column('date', { nullable: true })
  periodStartsOn!: string | null;

  @PicosColumn({ default: 0 })
  periodSpentPicos!: bigint;

  /** When the limit was last changed; null: never. A lower limit may be below what the key has spent by then. */
  @TimeColumn({ nullable: true })
  limitChangedAt!: Date | null;
}

/** Money of a wallet that a gateway has set aside for requests. */
@Entity('leases', { schema: 'wallet' })
@Index('leases_account', ['accountId'])
@Index('leases_expiry', ['expiresAt'])
@Check('leases_amount_picos_check', 'amount_picos >= 0')
class Lease {
  @PrimaryColumn('text')
  id!: string;

  @ForeignKey(() => Wallet)
  @Column('text')
  accountId!: string;

  /** Set if the amount is also set aside from the spending limit of this key. */
  @ForeignKey(() => KeyBudget)
  @Column('text', { nullable: true })
  apiKeyId!: string | null;

  /** Id of the gateway process. */
  @Column('text')
  holder!: string;

  /** What is left of it. */
  @PicosColumn()
  amountPicos!: bigint;

  /** The gateway extends this time. After it the money returns to the wallet. */
  @TimeColumn()
  expiresAt!: Date;
}

/** The tables of the ledger. A service that only reads balances maps Wallet alone. */
export const WALLET_ENTITIES = [KeyBudget, Lease, LedgerEntry, Transfer, Wallet];
