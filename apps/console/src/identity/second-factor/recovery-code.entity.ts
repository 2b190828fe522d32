import { TimeColumn } from '@inference/database';
import { Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity';

@Entity('recovery_codes', { schema: 'accounts' })
export class RecoveryCode {
  @ForeignKey(() => Account)
  @PrimaryColumn('text')
  accountId!: string;

  @PrimaryColumn('bytea')
  codeHash!: Buffer;

  @TimeColumn({ nullable: true })
  usedAt!: Date | null;
}
