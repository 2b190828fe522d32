import { BigIntColumn, TimeColumn } from '@inference/database';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { AgentSession } from '../sessions/agent-session.entity';
import { Turn } from '../turns/turn.entity';

@Entity('events', { schema: 'agent' })
@Index('events_idempotency', ['sessionId', 'idempotencyKey'], {
  unique: true,
  where: 'idempotency_key IS NOT NULL',
})
@Index('events_turn', ['turnId', 'seq'])
@Check(
  'events_check',
  "(status IS NULL) = (role <> 'assistant' AND (type <> ALL (ARRAY['turn.failed', 'turn.cancelled'])))",
)
@Check('events_check1', '(idempotency_key IS NULL) = (fingerprint IS NULL)')
@Check('events_role_check', "role IN ('user', 'assistant', 'tool')")
@Check('events_status_check', "status IN ('completed', 'incomplete', 'failed', 'cancelled')")
@Check(
  'events_type_check',
  "type IN ('message', 'tool_calls', 'tool_result', 'turn.failed', 'turn.cancelled')",
)
@Unique(['sessionId', 'seq'])
export class SessionEvent {
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  @ForeignKey(() => AgentSession, { onDelete: 'CASCADE' })
  @Column({ type: 'text', collation: 'C' })
  sessionId!: string;

  @BigIntColumn()
  seq!: bigint;

  @ForeignKey(() => Turn, { onDelete: 'CASCADE' })
  @Column({ type: 'text', collation: 'C' })
  turnId!: string;

  @Column('text')
  type!: string;

  @Column('text')
  role!: string;

  @Column('text')
  content!: string;

  @Column('json', { nullable: true })
  toolCalls!: unknown | null;

  @Column('json', { nullable: true })
  toolCallResults!: unknown | null;

  @Column('text', { nullable: true })
  status!: string | null;

  @Column('text', { nullable: true })
  finishReason!: string | null;

  @Column('json', { nullable: true })
  usage!: unknown | null;

  @Column('json', { nullable: true })
  error!: unknown | null;

  @Column('integer')
  tokens!: number;

  @Column('integer')
  afterPosition!: number;

  @Column('text', { nullable: true })
  idempotencyKey!: string | null;

  @Column('bytea', { nullable: true })
  fingerprint!: Buffer | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
