import { TimeColumn } from '@inference/database';
import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** A response of a model that its account wants kept, with what was asked. */
@Entity('stored', { schema: 'responses' })
@Index('stored_account', ['accountId', 'createdAt'])
@Index('stored_age', ['createdAt'])
export class StoredResponse {
  @PrimaryColumn('text')
  accountId!: string;

  @PrimaryColumn('text')
  id!: string;

  /** Null: a service has called without a key. */
  @Column('text', { nullable: true })
  apiKeyId!: string | null;

  /** What it goes on from. */
  @Column('text', { nullable: true })
  previousId!: string | null;

  /** The JSON of the items of its own request. */
  @Column('bytea')
  input!: Buffer;

  /** The JSON that was sent. */
  @Column('bytea')
  response!: Buffer;

  /** Of both. */
  @Column('integer')
  bytes!: number;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  createdAt!: Date;
}

/** Which response of a key has brought an item of this id first. */
@Entity('items', { schema: 'responses' })
@ForeignKey(() => StoredResponse, ['accountId', 'responseId'], ['accountId', 'id'], { onDelete: 'CASCADE' })
@Index('items_response', ['accountId', 'responseId'])
export class StoredItem {
  @PrimaryColumn('text')
  accountId!: string;

  @PrimaryColumn('text')
  id!: string;

  /** Empty: its response was stored without a key, or by an earlier version. */
  @PrimaryColumn('text', { default: '' })
  apiKeyId!: string;

  @Column('text')
  responseId!: string;
}
