import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Account } from '../../accounts/account.entity';

export type IdempotentOperation = 'payment' | 'refund' | 'invoice';

/** The header `Idempotency-Key` of a request, with its answer. */
@Entity('idempotency_keys', { schema: 'billing' })
@Index('idempotency_keys_age', ['createdAt'])
export class IdempotencyKey {
  @ForeignKey(() => Account)
  @PrimaryColumn('text')
  accountId!: string;

  @PrimaryColumn('text')
  operation!: IdempotentOperation;

  @PrimaryColumn('text')
  key!: string;

  /** SHA-256 of what distinguishes the request from others under the same key. */
  @Column('bytea')
  fingerprint!: Buffer;

  /** The resource that the request creates. */
  @Column('text', { nullable: true })
  resourceId!: string | null;

  /** Its first answer as JSON with exact numbers; null if it has not been answered. */
  @Column('text', { nullable: true })
  answer!: string | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
