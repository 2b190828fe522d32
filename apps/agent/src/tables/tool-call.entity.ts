import { Column, Entity, ForeignKey, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { AgentSession } from './agent-session.entity';
import { SessionEvent } from './session-event.entity';
import { Turn } from './turn.entity';
import { type ToolCall } from './tool.dto';

/** A call of a tool that the model of a session has made. */
@Entity('tool_calls', { schema: 'agent' })
@Index('tool_calls_answer', ['answeredBy'])
@Index('tool_calls_turn', ['turnId', 'position'])
export class StoredToolCall {
  @ForeignKey(() => AgentSession, { onDelete: 'CASCADE' })
  @PrimaryColumn('text', { collation: 'C' })
  sessionId!: string;

  @PrimaryColumn('text')
  id!: string;

  @Column({ type: 'text', collation: 'C' })
  turnId!: string;

  @ManyToOne(() => Turn, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  turn!: Turn;

  /** Place in the model's order, from 1. */
  @Column('integer')
  position!: number;

  @Column('json')
  call!: ToolCall;

  /** The event with the result, which is from the caller, or of the platform because the turn was ended. */
  @ForeignKey(() => SessionEvent, { onDelete: 'CASCADE' })
  @Column('text', { nullable: true })
  answeredBy!: string | null;
}
