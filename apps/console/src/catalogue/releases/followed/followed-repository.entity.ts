import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('followed_repositories', { schema: 'catalogue' })
@Check('followed_repositories_component_check', "component IN ('engine', 'router', 'agent', 'memo')")
export class FollowedRepository {
  @PrimaryColumn('text')
  component!: string;

  @Column('text')
  repository!: string;

  @Column('text', { nullable: true })
  etag!: string | null;

  @TimeColumn({ nullable: true })
  readAt!: Date | null;

  @TimeColumn({ default: () => 'now()' })
  nextCheckAt!: Date;

  @TimeColumn({ nullable: true })
  claimedUntil!: Date | null;

  @TimeColumn({ nullable: true })
  checkedAt!: Date | null;

  @TimeColumn({ nullable: true })
  succeededAt!: Date | null;

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
