import { ApiOpenObject } from '@inference/openapi';
import { ApiProperty } from '@nestjs/swagger';

/**
 * The requests and responses of OpenAI's API, for the API document. The gateway passes bodies on byte for byte and interprets
 * only what admission and billing need (see `readProxyRequest`), so these classes validate nothing.
 */

@ApiOpenObject()
class ChatMessage {
  @ApiProperty({
    description: 'Who speaks: `system`, `developer`, `user`, `assistant` or `tool`.',
    example: 'user',
  })
  role!: string;

  @ApiProperty({
    description: 'A text, or parts as the model understands them.',
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'object', additionalProperties: true } }],
    nullable: true,
    required: false,
    example: 'What is a ledger?',
  })
  content?: string | object[] | null;
}

@ApiOpenObject()
class StreamOptions {
  @ApiProperty({
    description: 'Send the usage in a last chunk.',
    required: false,
    nullable: true,
    type: 'boolean',
  })
  include_usage?: boolean | null;
}

/** What the endpoints for text have in common. */
@ApiOpenObject()
class TextRequest {
  @ApiProperty({
    description: 'Slug of a model of `GET /v1/models`.',
    maxLength: 200,
    example: 'sandbox-chat',
  })
  model!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    nullable: true,
    required: false,
    description: 'Most tokens of an answer. Without it the wallet bounds the answer.',
    example: 256,
  })
  max_tokens?: number | null;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    nullable: true,
    required: false,
    description: 'Number of answers, 1 by default.',
  })
  n?: number | null;

  @ApiProperty({
    type: 'boolean',
    nullable: true,
    required: false,
    description: 'Answer as server-sent events.',
  })
  stream?: boolean | null;

  @ApiProperty({
    type: () => StreamOptions,
    nullable: true,
    required: false,
    description: 'Options of a stream.',
  })
  stream_options?: StreamOptions | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    required: false,
    description: 'Passed to the model.',
    example: 0.7,
  })
  temperature?: number | null;
}

@ApiOpenObject()
export class ChatCompletionRequest extends TextRequest {
  @ApiProperty({ type: [ChatMessage], description: 'The conversation.' })
  messages!: ChatMessage[];

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    nullable: true,
    required: false,
    description: 'OpenAI’s newer name of `max_tokens`.',
  })
  max_completion_tokens?: number | null;
}

@ApiOpenObject()
export class CompletionRequest extends TextRequest {
  @ApiProperty({
    description: 'A text, several texts, or tokens.',
    oneOf: [
      { type: 'string' },
      {
        type: 'array',
        items: {
          oneOf: [{ type: 'string' }, { type: 'integer' }, { type: 'array', items: { type: 'integer' } }],
        },
      },
    ],
    example: 'A ledger is',
  })
  prompt!: unknown;
}

@ApiOpenObject()
export class EmbeddingsRequest {
  @ApiProperty({
    description: 'Slug of a model of `GET /v1/models`.',
    maxLength: 200,
    example: 'sandbox-embed',
  })
  model!: string;

  @ApiProperty({
    description: 'A text, several texts, or tokens.',
    oneOf: [
      { type: 'string' },
      {
        type: 'array',
        items: {
          oneOf: [{ type: 'string' }, { type: 'integer' }, { type: 'array', items: { type: 'integer' } }],
        },
      },
    ],
    example: 'A ledger',
  })
  input!: unknown;
}

@ApiOpenObject()
class CompletionUsage {
  @ApiProperty({ type: 'integer', description: 'Tokens of the prompt.', example: 12, required: false })
  prompt_tokens?: number;

  @ApiProperty({ type: 'integer', description: 'Tokens of the answers.', example: 34, required: false })
  completion_tokens?: number;

  @ApiProperty({ type: 'integer', description: 'The sum.', example: 46, required: false })
  total_tokens?: number;
}

/** The models’ servers write the responses, so no member but the list of answers is certain. */
@ApiOpenObject()
export class CompletionResponse {
  @ApiProperty({
    description: 'The answers.',
    type: 'array',
    items: { type: 'object', additionalProperties: true },
  })
  choices!: object[];

  @ApiProperty({
    description: 'The metered tokens.',
    type: () => CompletionUsage,
    nullable: true,
    required: false,
  })
  usage?: CompletionUsage | null;
}

@ApiOpenObject()
export class EmbeddingsResponse {
  @ApiProperty({
    description: 'One vector for each input.',
    type: 'array',
    items: { type: 'object', additionalProperties: true },
  })
  data!: object[];

  @ApiProperty({
    description: 'The metered tokens.',
    type: () => CompletionUsage,
    nullable: true,
    required: false,
  })
  usage?: CompletionUsage | null;
}
