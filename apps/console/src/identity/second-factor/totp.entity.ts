import { BigIntColumn, TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity';

@Entity('totp', { schema: 'accounts' })
export class Totp {
  @ForeignKey(() => Account)
  @PrimaryColumn('text')
  accountId!: string;

  @Column('text')
  sealedSecret!: string;

  @TimeColumn({ nullable: true })
  enabledAt!: Date | null;

  @BigIntColumn({ default: 0 })
  lastStep!: bigint;
}
