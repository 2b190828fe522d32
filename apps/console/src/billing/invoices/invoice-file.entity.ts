import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { BillingDocument } from '../documents/entities/document.entity';

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
