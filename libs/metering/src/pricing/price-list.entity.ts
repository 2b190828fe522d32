import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';

/** Models, GPUs and training each have a price list of their own. */
export type PriceListKind = 'models' | 'gpus' | 'training';

/** A published list replaces the previous list of its kind as a whole and never changes. */
@Entity('price_lists', { schema: 'pricing' })
@Index('price_lists_newest', ['kind', 'id'])
@Check('price_lists_kind_check', "kind IN ('models', 'gpus', 'training')")
export class PriceList {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: bigint;

  @Column('text')
  kind!: PriceListKind;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  effectiveFrom!: Date;

  /** The admin; null for a list that a migration made. */
  @ForeignKey('accounts')
  @Column('text', { nullable: true })
  publishedBy!: string | null;
}
