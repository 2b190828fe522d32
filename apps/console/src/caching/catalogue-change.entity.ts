import { TimeColumn } from '@inference/database';
import { Entity, PrimaryColumn } from 'typeorm';

export type Topic = 'models' | 'releases' | 'changelog' | 'prices';

/** When a public part of the catalogue last changed. Triggers write it. */
@Entity('changes', { schema: 'catalogue' })
export class CatalogueChange {
  @PrimaryColumn('text')
  topic!: Topic;

  /** Each change of a topic has another second; it may lie in the future. */
  @TimeColumn()
  changedAt!: Date;
}
