import { BigIntColumn, TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { type ToolDefinition } from './tool.dto';

/**
 * A conversation with a model. Each account chooses its own ids: the public id is unique in its account, and names no session of
 * another one. Everything that belongs to a session refers to its internal id, which no caller sees.
 */
@Entity('sessions', { schema: 'agent' })
@Index('sessions_account', ['accountId', 'createdAt', 'id'])
@Index('sessions_api_key', ['apiKeyId', 'createdAt', 'id'], { where: 'api_key_id IS NOT NULL' })
@Unique('sessions_public_id', ['accountId', 'publicId'])
export class AgentSession {
  /** The internal id. */
  @PrimaryColumn('text', { collation: 'C' })
  id!: string;

  @ForeignKey('accounts')
  @Column('text')
  accountId!: string;

  /** Null for the default model of the service. */
  @Column('text', { nullable: true })
  model!: string | null;

  /** The system prompt. */
  @Column('text', { nullable: true })
  system!: string | null;

  @Column('json', { default: () => "'[]'" })
  tools!: ToolDefinition[];

  @Column('json', { default: () => "'{}'" })
  metadata!: Record<string, string>;

  /** `seq` of the newest event. A transaction that assigns a number locks the row. */
  @BigIntColumn({ default: 0 })
  lastSeq!: bigint;

  /** Number of the latest turn. */
  @Column('integer', { default: 0 })
  lastTurn!: number;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;

  /** The id that the caller uses. */
  @Column({ type: 'text', collation: 'C' })
  publicId!: string;

  /** The key that made the session. Null if the console made it, or a version that did not store the key. */
  @ForeignKey('api_keys')
  @Column('text', { nullable: true })
  apiKeyId!: string | null;
}
