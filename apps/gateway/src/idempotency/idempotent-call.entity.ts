import { TimeColumn } from '@inference/database';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** An idempotency key of the last day with its call (see `metering.claim_call`). */
@Entity('idempotent_calls', { schema: 'metering' })
@Unique('idempotent_calls_request_id_key', ['requestId'])
@Index('idempotent_calls_age', ['claimedAt'])
export class IdempotentCall {
  @PrimaryColumn('text')
  accountId!: string;

  /** Empty for a call that a service makes without a key. */
  @PrimaryColumn('text')
  apiKeyId!: string;

  @PrimaryColumn('text')
  endpoint!: string;

  @PrimaryColumn('text')
  idempotencyHash!: string;

  @Column('text')
  bodyHash!: string;

  @Column('text')
  requestId!: string;

  /** Where its process answers other gateways. */
  @Column('text', { nullable: true })
  owner!: string | null;

  @TimeColumn()
  claimedAt!: Date;

  @TimeColumn()
  heldUntil!: Date;
}
