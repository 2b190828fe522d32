import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { BillingDocument } from '../documents/document.entity';

/** The tax authority's file of an invoice. It never changes. */
@Entity('invoice_files', { schema: 'billing' })
export class InvoiceFile {
  @ForeignKey(() => BillingDocument)
  @PrimaryColumn('text')
  documentId!: string;

  @Column('text')
  contentType!: string;

  @Column('text')
  fileName!: string;

  @Column('bytea')
  bytes!: Buffer;

  @Column('bytea')
  sha256!: Buffer;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  receivedAt!: Date;
}

/** The request for the tax authority's file of an invoice. */
@Entity('invoice_requests', { schema: 'billing' })
@Index('invoice_requests_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
export class InvoiceRequest {
  @ForeignKey(() => BillingDocument)
  @PrimaryColumn('text')
  documentId!: string;

  /** Including the one that is under way. */
  @Column('integer', { default: 0 })
  attempts!: number;

  /** Null: no more. */
  @TimeColumn({ nullable: true, default: () => 'now()' })
  nextAttemptAt!: Date | null;

  /** Until then one replica makes an attempt and no other does. */
  @TimeColumn({ nullable: true })
  claimedUntil!: Date | null;

  /** When the issuer refused to make the file. */
  @TimeColumn({ nullable: true })
  refusedAt!: Date | null;

  @Column('text', { nullable: true })
  lastError!: string | null;

  @TimeColumn({
    nullable: true,
    insert: false,
    update: false,
    generatedType: 'STORED',
    asExpression:
      'CASE WHEN (next_attempt_at IS NOT NULL) THEN GREATEST(next_attempt_at, claimed_until) ELSE NULL::timestamp with time zone END',
  })
  dueAt!: Date | null;
}
