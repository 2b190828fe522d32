import { TimeColumn } from '@inference/database';
import { Entity, PrimaryColumn } from 'typeorm';

@Entity('changes', { schema: 'catalogue' })
export class CatalogueChange {
  @PrimaryColumn('text')
  topic!: string;

  @TimeColumn()
  changedAt!: Date;
}
