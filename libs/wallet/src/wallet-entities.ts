import { PicosColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { KeyBudget } from './key-budget.entity';
import { LedgerEntry } from './ledger-entry.entity';
import { Transfer } from './transfer.entity';
import { Wallet } from './wallet.entity';

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
