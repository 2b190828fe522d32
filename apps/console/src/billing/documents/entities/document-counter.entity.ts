import { BigIntColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('document_counters', { schema: 'billing' })
@Check('document_counters_kind_check', "kind IN ('receipt', 'invoice')")
export class DocumentCounter {
  @PrimaryColumn('text')
  kind!: string;

  @Column('integer', { default: 0 })
  year!: number;

  @BigIntColumn({ default: 0 })
  last!: bigint;

  @TimeColumn({ default: () => "'-infinity'" })
  issuedAt!: Date;
}
