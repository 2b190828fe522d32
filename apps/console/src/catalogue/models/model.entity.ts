import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Package } from './model-packages/package.entity';

/** A model that customers download. It is public if it has a published package. */
@Entity('models', { schema: 'catalogue' })
@Index('models_packages', ['packageId'], { where: 'package_id IS NOT NULL' })
@ForeignKey(() => Package, ['slug', 'packageId'], ['slug', 'id'])
@Unique(['id'])
export class Model {
  @PrimaryColumn('text')
  slug!: string;

  @Column('text')
  id!: string;

  @Column('text')
  name!: string;

  /** Text for people; may be empty. */
  @Column('text')
  description!: string;

  @Column('text', { nullable: true })
  family!: string | null;

  @Column('text', { nullable: true })
  parameters!: string | null;

  @Column('text', { nullable: true })
  quantization!: string | null;

  @Column('text', { nullable: true })
  format!: string | null;

  @Column('text', { nullable: true })
  license!: string | null;

  /** The published package. Null if none is published. */
  @Column('text', { nullable: true })
  packageId!: string | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** The last change of the description or of what is published. */
  @TimeColumn({ default: () => 'clock_timestamp()' })
  changedAt!: Date;
}
