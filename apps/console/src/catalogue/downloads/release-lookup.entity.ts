import { BigIntColumn } from '@inference/database';
import { Entity, PrimaryColumn } from 'typeorm';

@Entity('release_lookups', { schema: 'catalogue' })
export class ReleaseLookup {
  @PrimaryColumn('text')
  component!: string;

  @PrimaryColumn('text')
  tagName!: string;

  @PrimaryColumn('date')
  day!: string;

  @BigIntColumn()
  lookups!: bigint;
}
