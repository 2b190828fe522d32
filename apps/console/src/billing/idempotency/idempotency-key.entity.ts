import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../../identity/accounts/account.entity';

@Entity('idempotency_keys', { schema: 'billing' })
@Index('idempotency_keys_age', ['createdAt'])
export class IdempotencyKey {
  @ForeignKey(() => Account)
  @PrimaryColumn('text')
  accountId!: string;

  @PrimaryColumn('text')
  operation!: string;

  @PrimaryColumn('text')
  key!: string;

  @Column('bytea')
  fingerprint!: Buffer;

  @Column('text', { nullable: true })
  resourceId!: string | null;

  @Column('text', { nullable: true })
  answer!: string | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
