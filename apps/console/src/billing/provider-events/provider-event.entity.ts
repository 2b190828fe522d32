import { BigIntColumn, TimeColumn } from '@inference/database';
import {
  Check,
  Column,
  Entity,
  ForeignKey,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  Unique,
} from 'typeorm';
import { Account } from '../../accounts/account.entity';
import { type PaymentProviderName, type ProviderEventKind } from '../payment-providers/payment-provider';
import { Payment } from '../payments/payment.entity';

export const CLOSINGS = ['own_refund', 'handled'] as const;

/** A signed notification of a payment provider that the platform does not act on. */
@Entity('provider_events', { schema: 'billing' })
@Index('provider_events_open', ['receivedAt', 'id'], { where: 'closed_at IS NULL' })
@Index('provider_events_payment', ['paymentId'])
@Index('provider_events_time', ['receivedAt', 'id'])
@Check('provider_events_closed_as_check', "closed_as IN ('own_refund', 'handled')")
@Check('provider_events_closed_check', '(closed_at IS NULL) = (closed_as IS NULL)')
@Check('provider_events_kind_check', "kind IN ('dispute', 'refund', 'other')")
@Unique('provider_events_event_key', ['provider', 'eventId'])
export class ProviderEventRow {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  provider!: PaymentProviderName;

  /** The provider's own id of the event. */
  @Column('text')
  eventId!: string;

  @Column('text')
  type!: string;

  @Column('text')
  kind!: ProviderEventKind;

  /** Null if it names no payment of this site. */
  @Column('text', { nullable: true })
  paymentId!: string | null;

  @ManyToOne(() => Payment, { nullable: true })
  @JoinColumn({ foreignKeyConstraintName: 'provider_events_payment_fkey' })
  payment!: Payment | null;

  /** In hundredths of the currency. */
  @BigIntColumn({ nullable: true })
  amountMinor!: bigint | null;

  @Column('text', { nullable: true })
  currency!: string | null;

  @Column('text', { nullable: true })
  status!: string | null;

  @Column('text', { nullable: true })
  reason!: string | null;

  /** What the provider has signed, in JSON. */
  @Column('text')
  content!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  receivedAt!: Date;

  @TimeColumn({ nullable: true })
  closedAt!: Date | null;

  /** `own_refund`: a refund of this site explains it. `handled`: a person has dealt with it. */
  @Column('text', { nullable: true })
  closedAs!: (typeof CLOSINGS)[number] | null;

  @ForeignKey(() => Account, { name: 'provider_events_closed_by_fkey' })
  @Column('text', { nullable: true })
  closedBy!: string | null;

  @Column('text', { nullable: true })
  note!: string | null;
}
