import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { AgentSession } from '../sessions/agent-session.entity';

@Entity('turns', { schema: 'agent' })
@Index('turns_active', ['sessionId'], { unique: true, where: "status IN ('running', 'requires_action')" })
@Index('turns_queued', ['sessionId', 'number'], { where: "status = 'queued'" })
@Index('turns_running', ['runner'], { where: "status = 'running'" })
@Check('turns_check', "(status = 'running') = (runner IS NOT NULL)")
@Check('turns_check1', "(status IN ('completed', 'failed', 'cancelled')) = (ended_at IS NOT NULL)")
@Check(
  'turns_status_check',
  "status IN ('queued', 'running', 'requires_action', 'completed', 'failed', 'cancelled')",
)
@Unique(['sessionId', 'number'])
export class Turn {
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  @ForeignKey(() => AgentSession, { onDelete: 'CASCADE' })
  @Column({ type: 'text', collation: 'C' })
  sessionId!: string;

  @Column('integer')
  number!: number;

  @ForeignKey('api_keys')
  @Column('text')
  apiKeyId!: string;

  @Column('text')
  status!: string;

  @Column('text', { nullable: true })
  runner!: string | null;

  @Column('integer', { default: 0 })
  callPosition!: number;

  @Column('boolean', { default: false })
  answered!: boolean;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @TimeColumn({ nullable: true })
  endedAt!: Date | null;
}
