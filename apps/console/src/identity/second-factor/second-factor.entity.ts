import { BigIntColumn, TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { Account } from '../../accounts/account.entity';

/** The authenticator of an account (RFC 6238). */
@Entity('totp', { schema: 'accounts' })
export class Totp {
  @ForeignKey(() => Account)
  @PrimaryColumn('text')
  accountId!: string;

  /** Encrypted with ENCRYPTION_KEYS. */
  @Column('text')
  sealedSecret!: string;

  /** Null until a code has proved that the authenticator has the secret. */
  @TimeColumn({ nullable: true })
  enabledAt!: Date | null;

  /** The time step of the last accepted code. */
  @BigIntColumn({ default: 0 })
  lastStep!: bigint;
}

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
