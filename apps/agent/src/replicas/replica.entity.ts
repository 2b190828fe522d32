import { TimeColumn } from '@inference/database';
import { Entity, PrimaryColumn } from 'typeorm';

@Entity('replicas', { schema: 'agent' })
export class Replica {
  @PrimaryColumn('text')
  id!: string;

  @TimeColumn()
  expiresAt!: Date;
}
