import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AgentSession } from '../sessions/agent-session.entity';
import { SessionEvent } from '../session-log/session-event.entity';
import { Turn } from '../turns/turn.entity';

@Entity('tool_calls', { schema: 'agent' })
@Index('tool_calls_answer', ['answeredBy'])
@Index('tool_calls_turn', ['turnId', 'position'])
export class ToolCall {
  @ForeignKey(() => AgentSession, { onDelete: 'CASCADE' })
  @PrimaryColumn('text', { collation: 'C' })
  sessionId!: string;

  @PrimaryColumn('text')
  id!: string;

  @ForeignKey(() => Turn, { onDelete: 'CASCADE' })
  @Column({ type: 'text', collation: 'C' })
  turnId!: string;

  @Column('integer')
  position!: number;

  @Column('json')
  call!: unknown;

  @ForeignKey(() => SessionEvent, { onDelete: 'CASCADE' })
  @Column('text', { nullable: true })
  answeredBy!: string | null;
}
