import { TimeColumn } from '@inference/database';
import { Entity, PrimaryColumn } from 'typeorm';

/** A process of the service. */
@Entity('replicas', { schema: 'agent' })
export class Replica {
  @PrimaryColumn('text')
  id!: string;

  /** The process counts as dead from then on, and its turns fail. */
  @TimeColumn()
  expiresAt!: Date;
}
