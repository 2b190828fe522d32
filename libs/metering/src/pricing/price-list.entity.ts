import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';

@Entity('price_lists', { schema: 'pricing' })
@Index('price_lists_newest', ['kind', 'id'])
@Check('price_lists_kind_check', "kind IN ('models', 'gpus', 'training')")
export class PriceList {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: bigint;

  @Column('text')
  kind!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  effectiveFrom!: Date;

  @ForeignKey('accounts')
  @Column('text', { nullable: true })
  publishedBy!: string | null;
}
