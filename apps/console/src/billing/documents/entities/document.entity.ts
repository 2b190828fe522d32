import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Account } from '../../../identity/accounts/account.entity';
import { Payment } from '../../payments/entities/payment.entity';

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
