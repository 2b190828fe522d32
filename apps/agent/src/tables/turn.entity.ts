import { TimeColumn } from '@inference/database';
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

export type TurnStatus = 'queued' | 'running' | 'requires_action' | 'completed' | 'failed' | 'cancelled';

/** A message and everything that the model does to answer it. */
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

  @Column({ type: 'text', collation: 'C' })
  sessionId!: string;

  @ManyToOne(() => AgentSession, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn()
  session!: AgentSession;

  /** Number in the session, from 1. Turns run in this order. */
  @Column('integer')
  number!: number;

  /** The key that pays for the calls of the model. Null if the account pays without a key: the console posted the event. */
  @ForeignKey('api_keys')
  @Column('text', { nullable: true })
  apiKeyId!: string | null;

  /** At most one turn of a session is running or waits for results of tools. */
  @Column('text')
  status!: TurnStatus;

  /** The replica that runs the turn. */
  @Column('text', { nullable: true })
  runner!: string | null;

  /** Number of the last stream event before the current or latest call of the model; 0 before the first call. */
  @Column('integer', { default: 0 })
  callPosition!: number;

  /** Whether the model has answered. Later calls of the model leave out failed turns without an answer. */
  @Column('boolean', { default: false })
  answered!: boolean;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  @TimeColumn({ nullable: true })
  endedAt!: Date | null;
}

/** The types of events in a turn's stream (spec: Events, which allows others beside `delta` and `turn.completed`). */
export type StreamEventType =
  | 'turn.started'
  | 'turn.waiting'
  | 'delta'
  | 'tool_call'
  | 'turn.requires_action'
  | 'turn.completed'
  | 'turn.cancelled'
  | 'error';

/** One event of a turn's stream. Each is stored before it is sent. */
@Entity('stream_events', { schema: 'agent' })
export class StoredStreamEvent {
  /** Without a foreign key, which would lock the row of the turn for each of tens of thousands of events per second. */
  @PrimaryColumn('text', { collation: 'C' })
  turnId!: string;

  /** Number in the turn's stream, from 1, without gaps. */
  @PrimaryColumn('integer')
  n!: number;

  @Column('text')
  kind!: StreamEventType;

  /** JSON; for a delta the text itself. */
  @Column('text')
  data!: string;
}
