import { BigIntColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { type DocumentKind } from './document.entity';

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
