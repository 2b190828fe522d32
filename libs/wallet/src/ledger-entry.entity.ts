import { PicosColumn } from '@inference/database';
import { Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Transfer } from './transfer.entity';

@Entity('entries', { schema: 'wallet' })
@Index('entries_account', ['ledgerAccount'])
export class LedgerEntry {
  @ForeignKey(() => Transfer)
  @PrimaryColumn('text')
  transferId!: string;

  @PrimaryColumn('text')
  ledgerAccount!: string;

  @PicosColumn()
  amountPicos!: bigint;
}
