import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { type Component } from '../../component';

/** A repository at the code host whose releases are followed, and the result of its last reading. */
@Entity('followed_repositories', { schema: 'catalogue' })
@Check('followed_repositories_component_check', "component IN ('engine', 'router', 'agent', 'memo')")
export class FollowedRepository {
  @PrimaryColumn('text')
  component!: Component;

  /** Owner and name at the code host. */
  @Column('text')
  repository!: string;

  /** Entity tag of the last response that was stored. Null if it does not cover everything that was read. */
  @Column('text', { nullable: true })
  etag!: string | null;

  /** When that response was received completely. */
  @TimeColumn({ nullable: true })
  readAt!: Date | null;

  @TimeColumn({ default: () => 'now()' })
  nextCheckAt!: Date;

  /** Until then only the replica that claimed it reads it. */
  @TimeColumn({ nullable: true })
  claimedUntil!: Date | null;

  /** The last reading, successful or not. */
  @TimeColumn({ nullable: true })
  checkedAt!: Date | null;

  @TimeColumn({ nullable: true })
  succeededAt!: Date | null;

  /** Since the last success. */
  @Column('integer', { default: 0 })
  failures!: number;

  @Column('text', { nullable: true })
  lastError!: string | null;

  @TimeColumn({
    insert: false,
    update: false,
    generatedType: 'STORED',
    asExpression: 'GREATEST(next_check_at, claimed_until)',
  })
  dueAt!: Date;
}
