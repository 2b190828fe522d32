import { ChoiceField, IdField, InstantProperty, NextCursorProperty } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { TimeRangeQuery } from '../../validation/time-range.dto';
import { AUDIT_EVENT_TYPES, type AuditEventType } from './security-event.entity';

export class AdminAuditLogQuery extends TimeRangeQuery {
  @IdField({
    description: 'Lists the events of this account only.',
    noun: 'account',
    prefix: 'acct',
    optional: true,
  })
  account_id?: string;

  @IdField({
    description: 'Lists only the events whose actor is this account.',
    noun: 'account',
    prefix: 'acct',
    optional: true,
  })
  actor_id?: string;

  @ChoiceField(AUDIT_EVENT_TYPES, {
    description: 'Lists the events of this type only.',
    example: 'session.opened',
    optional: true,
  })
  type?: AuditEventType;
}

/** Something that happened to the credentials of an account, or that an admin did. */
export class AuditEventResponse {
  @ApiProperty({ description: 'Names the event.', example: 'evt_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({
    description: '`<subject>.<what happened to it>`. Types of `admin` are what an admin did to the site.',
    enum: AUDIT_EVENT_TYPES,
    enumName: 'AuditEventType',
    example: 'session.opened',
  })
  type!: string;

  @ApiProperty({
    description: 'The account that it happened to; null for a failed sign-in with an unknown identifier.',
    type: String,
    nullable: true,
    example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  account_id!: string | null;

  @ApiProperty({
    description: 'Who did it: the account itself or an admin; null if nobody was signed in.',
    enum: ['self', 'admin'],
    nullable: true,
    example: 'self',
  })
  actor!: 'self' | 'admin' | null;

  @ApiProperty({
    description:
      'The account that did it; null if nobody was signed in. An account does not learn which admin it was.',
    type: String,
    nullable: true,
    example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  actor_id!: string | null;

  @ApiProperty({
    description: 'The IP address of the request; null if it is unknown or of an admin.',
    type: String,
    nullable: true,
    example: '203.0.113.7',
  })
  address!: string | null;

  @ApiProperty({
    description: 'The program that sent the request; null if it is unknown or of an admin.',
    type: String,
    nullable: true,
    example: 'Mozilla/5.0',
  })
  user_agent!: string | null;

  @ApiProperty({
    description:
      'Further facts, which depend on the type. Texts, numbers, booleans and nulls by name; no secrets.',
    type: 'object',
    additionalProperties: true,
    example: { method: 'password' },
  })
  details!: Record<string, unknown>;

  @InstantProperty({ description: 'When it happened.' })
  created_at!: string;
}

export class AuditEventListResponse {
  @ApiProperty({ description: 'The events of the page, newest first.', type: [AuditEventResponse] })
  events!: AuditEventResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
