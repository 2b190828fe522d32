import { BooleanField, field, IntegerField, TextField } from '@inference/dto';
import { ApiOpenObject } from '@inference/openapi';
import { ApiProperty } from '@nestjs/swagger';
import { IsArray } from 'class-validator';

/** Requests and answers of Anthropic's Messages, for the API document. `messages-request.ts` reads the bodies. */

const ModelField = () =>
  TextField({ description: 'Slug of a model of `GET /v1/models`.', maxLength: 200, example: 'sandbox-chat' });

const TEXT_OR_BLOCKS = {
  oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'object', additionalProperties: true } }],
};
const OBJECTS = { type: 'array', items: { type: 'object', additionalProperties: true } } as const;

@ApiOpenObject()
class InputMessage {
  @ApiProperty({ description: 'Who speaks: `user`, `assistant` or `system`.', example: 'user' })
  role!: string;

  @ApiProperty({
    ...TEXT_OR_BLOCKS,
    description:
      'A text, or blocks: `text`, `image`, `document`, `tool_result` from the user; `text`, `thinking`, `tool_use` of the model.',
    example: 'What is a ledger?',
  })
  content!: string | object[];
}

@ApiOpenObject()
export class CountTokensRequest {
  @ModelField()
  model!: string;

  @field(
    { description: 'The conversation.' },
    { type: [InputMessage] },
    IsArray({ message: 'must be a list' }),
  )
  messages!: InputMessage[];

  @ApiProperty({ ...TEXT_OR_BLOCKS, required: false, description: 'Instructions: a text or blocks of text.' })
  system?: string | object[];

  @ApiProperty({
    ...OBJECTS,
    required: false,
    description: 'Tools that the client runs: `name`, `description`, `input_schema`.',
  })
  tools?: object[];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    selfRequired: false,
    description: '`{"type": "auto" | "any" | "tool" | "none"}`, with `name` and `disable_parallel_tool_use`.',
  })
  tool_choice?: object;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    selfRequired: false,
    description:
      'How much the model may think. A budget becomes `reasoning_effort`: low, from 4,096 tokens on medium, from 16,384 on high.',
  })
  thinking?: object;
}

@ApiOpenObject()
export class MessagesRequest extends CountTokensRequest {
  @IntegerField({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description: 'Most tokens of the answer.',
    example: 256,
  })
  max_tokens!: number;

  @BooleanField({ optional: true, nullable: true, description: 'Answer as server-sent events.' })
  stream?: boolean | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    required: false,
    description: 'Texts at which the answer ends.',
    example: ['END'],
  })
  stop_sequences?: string[];

  @ApiProperty({ type: 'number', required: false, description: 'Passed to the model.', example: 0.7 })
  temperature?: number;
}

@ApiOpenObject()
class MessagesUsage {
  @ApiProperty({
    type: 'integer',
    description: 'Tokens of the prompt, without those of the cache.',
    example: 12,
  })
  input_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Tokens that were written to the cache.', example: 0 })
  cache_creation_input_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Tokens that were read from the cache.', example: 0 })
  cache_read_input_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Tokens of the answer, thoughts included.', example: 34 })
  output_tokens!: number;
}

@ApiOpenObject()
export class MessageResponse {
  @ApiProperty({ description: 'Names the answer.', example: 'msg_0123456789abcdef' })
  id!: string;

  @ApiProperty({ enum: ['message'], description: 'Always `message`.' })
  type!: 'message';

  @ApiProperty({ enum: ['assistant'], description: 'Always `assistant`.' })
  role!: 'assistant';

  @ApiProperty({ description: 'The model that the request names.', example: 'sandbox-chat' })
  model!: string;

  @ApiProperty({ ...OBJECTS, description: 'Blocks: `text`, `thinking` and `tool_use`.' })
  content!: object[];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      '`end_turn`, `max_tokens`, `stop_sequence`, `tool_use` or `refusal`. Null while the answer goes on.',
    example: 'end_turn',
  })
  stop_reason!: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The text at which the answer ended, if the model’s server says it.',
    example: null,
  })
  stop_sequence!: string | null;

  @ApiProperty({ description: 'The metered tokens.' })
  usage!: MessagesUsage;
}

@ApiOpenObject()
export class MessagesEvent {
  @ApiProperty({ description: 'The name of the event.', example: 'content_block_delta' })
  type!: string;
}

export class CountTokensResponse {
  @ApiProperty({
    type: 'integer',
    description:
      'Tokens of the prompt: the count of the model’s server if that speaks Messages, otherwise the gateway’s own, from which the model’s may differ.',
    example: 14,
  })
  input_tokens!: number;
}
