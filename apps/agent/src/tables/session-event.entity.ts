import { BigIntColumn, TimeColumn } from '@inference/database';
import { type Usage } from '@inference/model-calls';
import {
  Check,
  Column,
  Entity,
  ForeignKey,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  Unique,
} from 'typeorm';
import { AgentSession } from './agent-session.entity';
import { type ToolCall, type ToolCallResult } from './tool.dto';
import { Turn } from './turn.entity';

/**
 * One entry of a session's log. It never changes, except that its idempotency key is removed, and that the call that
 * the end of a turn broke off is named when it has ended.
 */
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

  /** Number in the session, from 1, without gaps. */
  @BigIntColumn()
  seq!: bigint;

  @Column({ type: 'text', collation: 'C' })
  turnId!: string;

  @ManyToOne(() => Turn, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  turn!: Turn;

  @Column('text')
  type!: EventType;

  @Column('text')
  role!: 'user' | 'assistant' | 'tool';

  @Column('text')
  content!: string;

  @Column('json', { nullable: true })
  toolCalls!: ToolCall[] | null;

  @Column('json', { nullable: true })
  toolCallResults!: ToolCallResult[] | null;

  /** Null for an event of the caller: it has the status of its turn. */
  @Column('text', { nullable: true })
  status!: 'completed' | 'incomplete' | 'failed' | 'cancelled' | null;

  /** Why the model stopped, as its server says. */
  @Column('text', { nullable: true })
  finishReason!: string | null;

  @Column('json', { nullable: true })
  usage!: Usage | null;

  /**
   * The call of the model that wrote the event, or that the end of the turn broke off: its id in the request log of the account.
   * Null for all other events, and if the call is not known.
   */
  @Column('text', { nullable: true })
  requestId!: string | null;

  @Column('json', { nullable: true })
  error!: EventError | null;

  /** Size in a model's context; an estimate, unless the model's server has counted. */
  @Column('integer')
  tokens!: number;

  /** Number of the last stream event of the turn before this event. The stream of its answer begins after it. */
  @Column('integer')
  afterPosition!: number;

  @Column('text', { nullable: true })
  idempotencyKey!: string | null;

  /** Hash of the request that used the idempotency key. */
  @Column('bytea', { nullable: true })
  fingerprint!: Buffer | null;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}

export type EventType = 'message' | 'tool_calls' | 'tool_result' | 'turn.failed' | 'turn.cancelled';

interface EventError {
  /** Does not change between versions; clients branch on it. */
  code: string;
  message: string;
  retryable: boolean;
}

/** An idempotency key of the caller and the hash of the request that used it. */
export interface Idempotency {
  key: string;
  fingerprint: Buffer;
}

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
