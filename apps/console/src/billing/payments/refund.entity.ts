import { BigIntColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { Account } from '../../accounts/account.entity';
import { Payment } from './payment.entity';

export const REFUND_STATUSES = ['pending', 'succeeded', 'failed'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** An attempt to give a payment back, whole or in part. */
@Entity('refunds', { schema: 'billing' })
@Index('refunds_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
@Index('refunds_once', ['paymentId'], { unique: true, where: "status <> 'failed'" })
@Index('refunds_payment', ['paymentId', 'createdAt'])
@Index('refunds_time', ['createdAt', 'id'])
@Check('refunds_amount_minor_check', 'amount_minor > 0')
@Check('refunds_check', "(status = 'pending') = (ended_at IS NULL)")
@Check('refunds_id_check', "id ~ '^[A-Za-z0-9_]{6,32}$'")
@Check('refunds_status_check', "status IN ('pending', 'succeeded', 'failed')")
export class Refund {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  paymentId!: string;

  /** Loaded by findRefund only. */
  @ManyToOne(() => Payment, { nullable: false })
  @JoinColumn()
  payment?: Payment;

  /** In hundredths of the payment's currency. */
  @BigIntColumn()
  amountMinor!: bigint;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('text', { default: 'pending' })
  status!: RefundStatus;

  @Column('text', { nullable: true })
  providerReference!: string | null;

  /** The provider's reason. */
  @Column('text', { nullable: true })
  failure!: string | null;

  /** The admin. */
  @ForeignKey(() => Account)
  @Column('text')
  orderedBy!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @TimeColumn({ nullable: true })
  endedAt!: Date | null;

  /** When the provider is asked next; null: no more. */
  @TimeColumn({ nullable: true })
  nextCheckAt!: Date | null;

  /** Until then one replica checks it and no other does. */
  @TimeColumn({ nullable: true })
  claimedUntil!: Date | null;

  @TimeColumn({
    nullable: true,
    insert: false,
    update: false,
    generatedType: 'STORED',
    asExpression:
      'CASE WHEN (next_check_at IS NOT NULL) THEN GREATEST(next_check_at, claimed_until) ELSE NULL::timestamp with time zone END',
  })
  dueAt!: Date | null;
}
