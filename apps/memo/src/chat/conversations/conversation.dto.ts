import { IdField, InstantProperty, IntegerParameter, NextCursorProperty } from '@inference/dto';
import { PageQuery } from '@inference/http';
import { ApiProperty, PickType } from '@nestjs/swagger';
import { WorkspacePath } from '../../access/workspace.guard';
import { SearchDto, SearchResultResponse } from '../../retrieval/search/search.dto';
import { FeedbackResponse } from '../feedback/feedback.dto';
import { MESSAGE_STATUSES, type MessageStatus } from '../../tables/conversation.entity';

export class ConversationPath extends WorkspacePath {
  @IdField({ description: 'The id of the conversation.', noun: 'conversation', prefix: 'conv' })
  conversation_id!: string;
}

export class MessagePath extends ConversationPath {
  @IdField({ description: 'The id of the message.', noun: 'message', prefix: 'msg' })
  message_id!: string;
}

export class MessagesQuery extends PickType(PageQuery, ['limit']) {
  @IntegerParameter({
    description: 'Only messages with a greater `n`.',
    min: 0,
    max: 999_999_999,
    default: 0,
    optional: true,
  })
  after: number = 0;
}

export class ConversationResponse {
  @ApiProperty({ description: 'Names the conversation in this API.', example: 'conv_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({
    description: 'The beginning of the first question.',
    example: 'Within how many days are refunds issued?',
  })
  title!: string;

  @InstantProperty({ description: 'When the first question was stored.' })
  created_at!: string;

  @InstantProperty({ description: 'When the last question was stored.' })
  updated_at!: string;
}

export class ConversationListResponse {
  @ApiProperty({ description: 'The caller’s conversations, newest first.', type: [ConversationResponse] })
  conversations!: ConversationResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}

export class CitationResponse {
  @ApiProperty({ description: 'The number of the marker `[1]` in the answer.', type: 'integer', example: 1 })
  number!: number;

  @ApiProperty({ description: 'The id of the cited document.', example: 'doc_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  document_id!: string;

  @ApiProperty({ description: 'The title of the document when it was cited.', example: 'Refund policy' })
  title!: string;

  @ApiProperty({ description: 'The cited version of the document.', type: 'integer', example: 1 })
  version!: number;

  @ApiProperty({
    description: 'Index of the passage in the document, from 0.',
    type: 'integer',
    example: 0,
  })
  chunk_index!: number;

  @ApiProperty({
    description: 'Offset of the cited slice in the stored text of that version, in UTF-16 units.',
    type: 'integer',
    example: 49,
  })
  start!: number;

  @ApiProperty({ description: 'Offset behind the slice, in UTF-16 units.', type: 'integer', example: 99 })
  end!: number;

  @ApiProperty({
    description:
      'The page on which the slice begins, from 1; null in formats without pages, and of documents that were read before 0.3.0.',
    type: 'integer',
    nullable: true,
    example: 3,
  })
  page!: number | null;

  @ApiProperty({
    description: 'The slice with its white space collapsed.',
    example: 'Refunds are issued within five days of the return.',
  })
  snippet!: string;
}

/** A part of an answer. */
export class AnswerSliceResponse {
  @ApiProperty({ description: 'Offset in `content`, in UTF-16 units.', type: 'integer', example: 0 })
  start!: number;

  @ApiProperty({ description: 'Offset behind the part, in UTF-16 units.', type: 'integer', example: 38 })
  end!: number;
}

export class MessageResponse {
  @ApiProperty({ description: 'Number in the conversation, from 1.', type: 'integer', example: 2 })
  n!: number;

  @ApiProperty({ description: 'The id of the message.', example: 'msg_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'Who wrote the message.', enum: ['user', 'assistant'], example: 'assistant' })
  role!: 'user' | 'assistant';

  @ApiProperty({
    description: 'The question, or the part of the answer that was sent.',
    example: 'Within five days [1].',
  })
  content!: string;

  @ApiProperty({
    description: '`failed`: the answer broke off. `cancelled`: the reader disconnected.',
    enum: MESSAGE_STATUSES,
  })
  status!: MessageStatus;

  @ApiProperty({
    description:
      'The model that wrote the answer; null for a question and for an answer of quoted sentences.',
    example: 'sandbox-chat',
    type: 'string',
    nullable: true,
  })
  model!: string | null;

  @ApiProperty({
    description: 'Citations of documents that still exist, by number.',
    type: [CitationResponse],
  })
  citations!: CitationResponse[];

  @ApiProperty({
    description:
      'The sentences of the answer that nothing supports: without a marker and in no passage, or with a number that the cited passages do not hold.',
    type: [AnswerSliceResponse],
  })
  unsupported!: AnswerSliceResponse[];

  @ApiProperty({
    description:
      'The calls of models that the answer cost: `GET /api/billing/requests/{requestId}` of the console has the cost of each. Empty for a question.',
    type: [String],
    example: ['req_0Vc3kZ8dQ1mXw7RtYb2LsA'],
  })
  request_ids!: string[];

  @ApiProperty({
    description: 'What the caller thinks of the answer; null without feedback, and for a question.',
    type: FeedbackResponse,
    nullable: true,
  })
  feedback!: FeedbackResponse | null;

  @InstantProperty({ description: 'When the message was stored.' })
  created_at!: string;
}

/** A passage from which an answer was written. */
export class AnswerPassageResponse extends SearchResultResponse {
  @ApiProperty({
    description: 'The number by which the answer cites it, such as `[1]`.',
    type: 'integer',
    example: 1,
  })
  number!: number;
}

export class AnswerPassagesResponse {
  @ApiProperty({ description: 'The passages by number.', type: [AnswerPassageResponse] })
  passages!: AnswerPassageResponse[];
}

export class ConversationMessagesResponse extends ConversationResponse {
  @ApiProperty({ description: 'A page of the messages, oldest first.', type: [MessageResponse] })
  messages!: MessageResponse[];

  @ApiProperty({ description: 'Whether messages follow this page.', example: false })
  has_more!: boolean;
}

/** The body of POST …/chat. */
export class ChatDto extends SearchDto {
  @IdField({
    description: 'The conversation that the question continues. Absent: a new conversation starts.',
    noun: 'conversation',
    prefix: 'conv',
    optional: true,
  })
  conversation_id?: string;
}

/** The data of an `event: error`, the last event of an answer that broke off. */
export class AnswerErrorEvent {
  @ApiProperty({
    description: 'What is wrong, for people.',
    example: 'The service stopped in the middle of this answer. Ask again.',
  })
  error!: string;

  @ApiProperty({
    description: 'The reason, for programs. It does not change between versions.',
    example: 'interrupted',
  })
  code!: string;

  @ApiProperty({ description: 'Whether the same question may succeed later.', example: true })
  retryable!: boolean;
}
