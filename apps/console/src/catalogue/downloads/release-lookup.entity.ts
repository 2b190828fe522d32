import { BigIntColumn } from '@inference/database';
import { Entity, PrimaryColumn } from 'typeorm';
import { type Component } from '../components/component';

/** How often a release was sent as the latest one of its component; 304 responses do not count. */
@Entity('release_lookups', { schema: 'catalogue' })
export class ReleaseLookup {
  @PrimaryColumn('text')
  component!: Component;

  @PrimaryColumn('text')
  tagName!: string;

  /** UTC date, such as 2026-01-31. */
  @PrimaryColumn('date')
  day!: string;

  @BigIntColumn()
  lookups!: bigint;
}
