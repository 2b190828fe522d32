import { TimeColumn } from '@inference/database';
import { Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Account } from '../accounts/account.entity';

/** A code that replaces the authenticator of an account once. */
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
