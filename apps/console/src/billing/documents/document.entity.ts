import { BigIntColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Account } from '../../accounts/account.entity';
import { Payment } from '../payments/payment.entity';

export type DocumentKind = 'receipt' | 'invoice';

/** A receipt or an invoice. It never changes. */
@Entity('documents', { schema: 'billing' })
@Index('documents_list', ['accountId', 'kind', 'issuedAt', 'id'])
@Check('documents_kind_check', "kind IN ('receipt', 'invoice')")
@Check('documents_number_check', "number ~ '^(R|INV)-\\d{4}-\\d{6,}$'")
@Unique(['number'])
@Unique(['paymentId'])
export class BillingDocument {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  kind!: DocumentKind;

  /** `R-2026-000001`, `INV-2026-000001`: consecutive within kind and year, without gaps. */
  @Column('text')
  number!: string;

  @ForeignKey(() => Payment)
  @Column('text')
  paymentId!: string;

  @ForeignKey(() => Account)
  @Column('text')
  accountId!: string;

  /** The JSON of a DocumentSnapshot, of this version or an earlier one. */
  @Column('jsonb')
  snapshot!: unknown;

  @TimeColumn()
  issuedAt!: Date;
}

/** The last number of each kind of documents. */
@Entity('document_counters', { schema: 'billing' })
@Check('document_counters_kind_check', "kind IN ('receipt', 'invoice')")
export class DocumentCounter {
  @PrimaryColumn('text')
  kind!: DocumentKind;

  @Column('integer', { default: 0 })
  year!: number;

  @BigIntColumn({ default: 0 })
  last!: bigint;

  /** When it was given, in `year` of the site's time zone. */
  @TimeColumn({ default: () => "'-infinity'" })
  issuedAt!: Date;
}
