import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { Account } from '../../accounts/account.entity';

/** A model with its parameters, under a name. */
@Entity('presets', { schema: 'playground' })
@Index('presets_list', ['accountId', 'createdAt', 'id'])
@Unique(['accountId', 'name'])
export class Preset {
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  @ForeignKey(() => Account)
  @Column('text')
  accountId!: string;

  @Column('text')
  name!: string;

  /** A JSON object of the pages. */
  @Column('text')
  settings!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  updatedAt!: Date;
}
