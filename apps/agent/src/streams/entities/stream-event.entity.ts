import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('stream_events', { schema: 'agent' })
export class StreamEvent {
  @PrimaryColumn('text', { collation: 'C' })
  turnId!: string;

  @PrimaryColumn('integer')
  n!: number;

  @Column('text')
  kind!: string;

  @Column('text')
  data!: string;
}
