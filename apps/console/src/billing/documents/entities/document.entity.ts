import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Account } from '../../../identity/accounts/account.entity';
import { Payment } from '../../payments/entities/payment.entity';

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
  kind!: string;

  @Column('text')
  number!: string;

  @ForeignKey(() => Payment)
  @Column('text')
  paymentId!: string;

  @ForeignKey(() => Account)
  @Column('text')
  accountId!: string;

  @Column('jsonb')
  snapshot!: unknown;

  @TimeColumn()
  issuedAt!: Date;
}
