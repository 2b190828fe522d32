import { PicosColumn } from '@inference/database';
import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Transfer } from './transfer.entity';

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
