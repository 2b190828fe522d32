import { Column, Entity, PrimaryColumn } from 'typeorm';

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
