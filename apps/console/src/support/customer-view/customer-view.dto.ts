import { IdField, InstantProperty, NextCursorProperty, TextField } from '@inference/dto';
import { ApiProperty, OmitType } from '@nestjs/swagger';
import { AccountPath } from '../../accounts/accounts.dto';
import { ListedSessionResponse } from '../../identity/session-list/session-list.dto';

export const TIMELINE_KINDS = ['event', 'failed_call', 'note', 'payment', 'prices'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** Something that happened to a customer. */
export class TimelineEntryResponse {
  @ApiProperty({
    description: 'The id of the event, call, note, payment or price list.',
    example: 'evt_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  id!: string;

  @InstantProperty({ description: 'When it happened.' })
  at!: string;

  @ApiProperty({
    description:
      '`event`: of its credentials, or what staff did to it; `payment`: one that was begun; `failed_call`: one that the platform or an upstream failed; `prices`: a price list that changed the price of a model which it has used within 90 days; `note`: of staff.',
    enum: TIMELINE_KINDS,
  })
  kind!: TimelineKind;

  @ApiProperty({
    description:
      'The type of the event, the status of the payment, or the error code of the call; else the kind.',
    example: 'session.opened',
  })
  type!: string;

  @ApiProperty({
    description: 'The account that did it; null if nobody was signed in.',
    type: String,
    nullable: true,
    example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  actor_id!: string | null;

  @ApiProperty({
    description: 'Further facts, which depend on the kind and the type; no secrets, nothing of a prompt.',
    type: 'object',
    additionalProperties: true,
    example: { method: 'password' },
  })
  details!: Record<string, unknown>;
}

export class TimelineResponse {
  @ApiProperty({ description: 'The page, newest first.', type: [TimelineEntryResponse] })
  entries!: TimelineEntryResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}

/** A place where a customer is signed in. */
class CustomerSessionResponse extends OmitType(ListedSessionResponse, ['current']) {}

export class CustomerSessionListResponse {
  @ApiProperty({
    description: 'The live sessions, newest use first; at most 100.',
    type: [CustomerSessionResponse],
  })
  sessions!: CustomerSessionResponse[];
}

export class AccountSessionPath extends AccountPath {
  @IdField({ description: 'The id of the session.', noun: 'session', prefix: 'sess' })
  sessionId!: string;
}

export class AccountViewPath extends AccountPath {
  @IdField({ description: 'The id of the view.', noun: 'view', prefix: 'view' })
  viewId!: string;
}

const MAX_REASON_LENGTH = 500;

export class OpenViewDto {
  @TextField({
    description: 'Why, for staff. The customer sees that staff looked, and not why.',
    example: 'Asks why the balance of Monday differs, ticket 4711.',
    maxLength: MAX_REASON_LENGTH,
    trim: true,
  })
  reason!: string;
}

/** That the caller sees the console as a customer does. */
export class AccountViewResponse {
  @ApiProperty({
    description: 'Names the view: the value of `X-Account-View`.',
    example: 'view_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  id!: string;

  @ApiProperty({ description: 'The customer.', example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  account_id!: string;

  @ApiProperty({ description: 'The e-mail address of the customer.', example: 'ann@example.com' })
  email!: string;

  @InstantProperty({ description: 'When it ends by itself: after 30 minutes.' })
  expires_at!: string;
}

/** An agent session, without what was said in it. */
export class CustomerAgentResponse {
  @ApiProperty({ description: 'The id that the customer uses.', example: 'support-4711' })
  id!: string;

  @ApiProperty({ description: 'The model; null: the default one.', type: String, nullable: true })
  model!: string | null;

  @ApiProperty({ description: 'The key that made it; null: the console.', type: String, nullable: true })
  api_key_id!: string | null;

  @ApiProperty({ description: 'How many turns it has had.', type: 'integer', example: 3 })
  turns!: number;

  @InstantProperty({ description: 'When it was made.' })
  created_at!: string;
}

export class CustomerAgentListResponse {
  @ApiProperty({ description: 'The newest 100 agent sessions.', type: [CustomerAgentResponse] })
  agents!: CustomerAgentResponse[];
}

/** A workspace of which a customer is a member, without what it holds. */
export class CustomerWorkspaceResponse {
  @ApiProperty({ description: 'Names the workspace.', example: 'ws_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'Its name.', example: 'Harbour manuals' })
  name!: string;

  @ApiProperty({ description: 'The role of the customer.', enum: ['viewer', 'editor', 'admin'] })
  role!: string;

  @ApiProperty({ description: 'Whether the customer has made it.' })
  is_creator!: boolean;

  @InstantProperty({ description: 'Since when the customer is a member.' })
  member_since!: string;
}

export class CustomerWorkspaceListResponse {
  @ApiProperty({
    description: 'The 100 workspaces that it joined last.',
    type: [CustomerWorkspaceResponse],
  })
  workspaces!: CustomerWorkspaceResponse[];
}

/** As the workspaces have them. */
const DOCUMENT_STATUSES = ['queued', 'processing', 'ready', 'failed'] as const;
type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

/** A document that a customer has uploaded, without its content. */
export class CustomerDocumentResponse {
  @ApiProperty({ description: 'Names the document.', example: 'doc_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'The title of its newest version.', example: 'Harbour rules 2026' })
  name!: string;

  @ApiProperty({ description: 'The workspace that holds it.', example: 'ws_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  workspace_id!: string;

  @ApiProperty({ description: 'The name of the workspace.', example: 'Harbour manuals' })
  workspace_name!: string;

  @ApiProperty({ description: 'The type of the file.', example: 'application/pdf' })
  media_type!: string;

  @ApiProperty({ description: 'The size of the uploaded file.', type: 'integer', example: 120_000 })
  bytes!: bigint;

  @ApiProperty({ description: 'How far its newest version is.', enum: DOCUMENT_STATUSES, example: 'ready' })
  status!: DocumentStatus;

  @ApiProperty({
    description: 'Why its newest version has failed; null if it has not.',
    type: String,
    nullable: true,
    example: null,
  })
  error_code!: string | null;

  @ApiProperty({ description: 'The number of its newest version.', type: 'integer', example: 1 })
  version!: number;

  @ApiProperty({
    description: 'The version that search uses; null before one is ready.',
    type: 'integer',
    nullable: true,
    example: 1,
  })
  serving_version!: number | null;

  @InstantProperty({ description: 'When it was uploaded first.' })
  created_at!: string;

  @InstantProperty({ description: 'When it was last changed.' })
  updated_at!: string;
}

export class CustomerDocumentListResponse {
  @ApiProperty({ description: 'The page, newest first.', type: [CustomerDocumentResponse] })
  documents!: CustomerDocumentResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}

const MAX_NOTE_LENGTH = 4_000;

export class CreateNoteDto {
  @TextField({
    description: 'What colleagues should know. The customer never sees it.',
    example: 'Called on Monday; waits for the refund.',
    maxLength: MAX_NOTE_LENGTH,
    trim: true,
  })
  text!: string;
}

/** What staff has noted of a customer. */
export class NoteResponse {
  @ApiProperty({ description: 'Names the note.', example: 'note_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'The text.', example: 'Called on Monday; waits for the refund.' })
  text!: string;

  @ApiProperty({ description: 'Who wrote it.', example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  author_id!: string;

  @ApiProperty({ description: 'The e-mail address of who wrote it.', example: 'staff@example.com' })
  author_email!: string;

  @InstantProperty({ description: 'When it was written.' })
  created_at!: string;
}

export class NoteListResponse {
  @ApiProperty({ description: 'The page, newest first.', type: [NoteResponse] })
  notes!: NoteResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
