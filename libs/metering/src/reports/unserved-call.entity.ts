import { TimeColumn } from '@inference/database';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** refused: the request was at fault, or the wallet or a limit; failed: the platform or an upstream was. */
export const UNSERVED_KINDS = ['refused', 'failed'] as const;
export type UnservedKind = (typeof UNSERVED_KINDS)[number];

/** A call that was refused or failed, and so cost nothing. Deleted after 30 days. Never holds anything of a prompt. */
@Entity('unserved_calls', { schema: 'metering' })
@Index('unserved_calls_account', ['accountId', 'kind', 'occurredAt'])
@Index('unserved_calls_request', ['accountId', 'requestId'])
@Check('unserved_calls_kind_check', "kind IN ('refused', 'failed')")
export class UnservedCall {
  /** When it ended, by the clock of the gateway. */
  @TimeColumn({ primary: true })
  occurredAt!: Date;

  @PrimaryColumn('text')
  requestId!: string;

  @TimeColumn()
  startedAt!: Date;

  @Column('text')
  accountId!: string;

  @Column('text', { nullable: true })
  apiKeyId!: string | null;

  /** As the request named it, shortened. Null: it named none, or was refused unread. */
  @Column('text', { nullable: true })
  model!: string | null;

  @Column('text')
  entrypoint!: string;

  @Column('text')
  endpoint!: string;

  @Column('text')
  kind!: UnservedKind;

  /** What the client got. A stream that failed before its first token has 200. */
  @Column('integer')
  httpStatus!: number;

  /** `error.code` of the answer. */
  @Column('text')
  errorCode!: string;

  /** The last one that was asked. Customers never see it. */
  @Column('text', { nullable: true })
  upstream!: string | null;

  @Column('integer')
  durationMs!: number;

  @Column('integer', { nullable: true })
  timeToFirstByteMs!: number | null;
}

/** A request that was served and could not be charged: it is free for ever. Deleted after 30 days. */
@Entity('refused_requests', { schema: 'metering' })
@Index('refused_requests_settlement', ['settlementId'])
@Index('refused_requests_age', ['refusedAt'])
export class RefusedRequest {
  @PrimaryColumn('text')
  requestId!: string;

  @Column('text')
  accountId!: string;

  /** The batch under which it is never charged. */
  @Column('text')
  settlementId!: string;

  @TimeColumn({ default: () => 'clock_timestamp()' })
  refusedAt!: Date;

  /** What was to be charged, as `metering.settle` takes it. */
  @Column('jsonb')
  event!: Record<string, unknown>;
}

/** What a client calls a call of its own, which may be several. Deleted after 90 days. */
@Entity('client_request_ids', { schema: 'metering' })
@Index('client_request_ids_request', ['accountId', 'requestId'])
@Index('client_request_ids_age', ['occurredAt'])
export class ClientRequestId {
  @PrimaryColumn('text')
  clientRequestId!: string;

  @PrimaryColumn('text')
  accountId!: string;

  /** As of the call. */
  @TimeColumn({ primary: true })
  occurredAt!: Date;

  @PrimaryColumn('text')
  requestId!: string;
}
