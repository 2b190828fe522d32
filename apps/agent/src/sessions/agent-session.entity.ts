import { BigIntColumn, TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

@Entity('sessions', { schema: 'agent' })
@Index('sessions_account', ['accountId', 'createdAt', 'id'])
@Unique('sessions_public_id', ['accountId', 'publicId'])
export class AgentSession {
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  @ForeignKey('accounts')
  @Column('text')
  accountId!: string;

  @Column('text', { nullable: true })
  model!: string | null;

  @Column('text', { nullable: true })
  system!: string | null;

  @Column('json', { default: () => "'[]'" })
  tools!: unknown;

  @Column('json', { default: () => "'{}'" })
  metadata!: unknown;

  @BigIntColumn({ default: 0 })
  lastSeq!: bigint;

  @Column('integer', { default: 0 })
  lastTurn!: number;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @Column({ type: 'text', collation: 'C' })
  publicId!: string;
}
