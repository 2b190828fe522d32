import { type Currency } from '@inference/config';
import { BigIntColumn, TimeColumn } from '@inference/database';
import {
  Check,
  Column,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  Unique,
  JoinColumn,
  ManyToOne,
} from 'typeorm';
import { type PaymentProviderName } from '../payment-providers/payment-provider';
import { Account } from '../../accounts/account.entity';

export const PAYMENT_STATUSES = ['pending', 'paid', 'failed', 'expired'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** The state machine of a payment. A payment that ended unpaid still becomes paid when its money arrives late. */
const ALLOWED_PREVIOUS_STATUSES: Record<PaymentStatus, PaymentStatus[]> = {
  pending: [],
  paid: ['pending', 'failed', 'expired'],
  failed: ['pending'],
  expired: ['pending'],
};

export const allowedPreviousStatuses = (status: PaymentStatus): PaymentStatus[] =>
  ALLOWED_PREVIOUS_STATUSES[status];

/** Longest name and address of a payer, in characters: longer than any real one, and short enough for one page. */
export const MAX_PAYER_CHARS = 500;

/** A top-up of a wallet, which a payer pays at a provider. */
@Entity('payments', { schema: 'billing' })
@Index('payments_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
@Index('payments_list', ['accountId', 'createdAt', 'id'])
@Index('payments_pending', ['accountId'], { where: "status = 'pending'" })
@Index('payments_time', ['createdAt', 'id'])
@Check('payments_amount_minor_check', 'amount_minor > 0')
@Check('payments_check', '(checkout_type IS NULL) = (checkout_url IS NULL)')
@Check('payments_check1', "(status = 'paid') = (paid_at IS NOT NULL AND provider_reference IS NOT NULL)")
@Check('payments_check2', "(status <> ALL (ARRAY['failed', 'expired'])) OR ended_at IS NOT NULL")
@Check('payments_checkout_type_check', "checkout_type IN ('redirect', 'qr')")
@Check('payments_currency_check', "currency IN ('USD', 'CNY')")
@Check('payments_id_check', "id ~ '^[A-Za-z0-9_]{6,32}$'")
@Check('payments_paid_after_creation', 'paid_at >= created_at')
@Check(
  'payments_provider_check',
  "provider IN ('card_provider', 'messaging_pay_provider', 'wallet_pay_provider')",
)
@Check('payments_status_check', "status IN ('pending', 'paid', 'failed', 'expired')")
@Unique(['providerOrderId'])
@Unique(['provider', 'providerReference'])
export class Payment {
  @PrimaryColumn('text')
  id!: string;

  @ForeignKey('wallets')
  @Column('text')
  accountId!: string;

  @Column('text')
  provider!: PaymentProviderName;

  /** In hundredths of the currency. */
  @BigIntColumn()
  amountMinor!: bigint;

  @Column('text')
  currency!: Currency;

  @Column('text', { default: 'pending' })
  status!: PaymentStatus;

  /** Where the provider sends the payer back to; null: the site's own page. */
  @Column('text', { nullable: true })
  returnUrl!: string | null;

  @Column('text', { nullable: true })
  providerOrderId!: string | null;

  @Column('text', { nullable: true })
  checkoutType!: 'redirect' | 'qr' | null;

  @Column('text', { nullable: true })
  checkoutUrl!: string | null;

  /** The provider's id of the transaction that paid it. */
  @Column('text', { nullable: true })
  providerReference!: string | null;

  @Column('text', { nullable: true })
  payerName!: string | null;

  @Column('text', { nullable: true })
  payerEmail!: string | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @TimeColumn()
  expiresAt!: Date;

  @TimeColumn({ nullable: true })
  paidAt!: Date | null;

  /** When it ended unpaid. Stays if its money arrives later. */
  @TimeColumn({ nullable: true })
  endedAt!: Date | null;

  /** When the notice about late money was closed. */
  @TimeColumn({ nullable: true })
  seenAt!: Date | null;

  @Column('text', { nullable: true })
  failure!: string | null;

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
