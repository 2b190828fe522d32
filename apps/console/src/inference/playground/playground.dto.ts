import { type Currency } from '@inference/config';
import { CurrencyProperty, MoneyProperty } from '@inference/dto';
import { ApiOpenObject, CodedErrorResponse } from '@inference/openapi';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';

/** What the gateway reads and writes, for the API document. The gateway validates requests. */

@ApiOpenObject()
class PlaygroundMessage {
  @ApiProperty({ description: 'Who speaks: `system`, `user`, `assistant` or `tool`.', example: 'user' })
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
export class PlaygroundRequest {
  @ApiProperty({ description: 'Slug of a model of `GET /api/playground/models`.', example: 'sandbox-chat' })
  model!: string;

  @ApiProperty({ description: 'The conversation.', type: [PlaygroundMessage] })
  messages!: PlaygroundMessage[];

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    required: false,
    description: 'Most tokens of the answer.',
    example: 256,
  })
  max_tokens?: number;

  @ApiProperty({ required: false, description: 'Answer as server-sent events.' })
  stream?: boolean;
}

@ApiOpenObject()
export class PlaygroundAnswer {
  @ApiProperty({
    description: 'The answers.',
    type: 'array',
    items: { type: 'object', additionalProperties: true },
  })
  choices!: object[];
}

/** An error in the middle of a stream, in OpenAI’s shape. */
@ApiOpenObject()
class PlaygroundFault {
  @ApiProperty({ description: 'What is wrong, for people.' })
  message!: string;
}

/** One event of a stream: a piece of the answer, its usage, or an error. */
@ApiOpenObject()
export class PlaygroundChunk {
  @ApiProperty({
    description: 'What the chunk adds to the answers.',
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    required: false,
  })
  choices?: object[];

  @ApiProperty({ description: 'Why the answer broke off.', required: false })
  error?: PlaygroundFault;
}

/** The gateway adds what it knows of the model: names, limits, modalities, prices and parameters. */
@ApiOpenObject()
class PlaygroundModel {
  @ApiProperty({ description: 'The slug, which requests name as `model`.', example: 'sandbox-chat' })
  id!: string;

  @ApiProperty({ enum: ['model'], description: 'Always `model`.' })
  object!: 'model';

  @ApiProperty({
    type: 'integer',
    description: 'When the price list with this model came into force, in Unix seconds.',
    example: 1_790_000_000,
  })
  created!: number;

  @ApiProperty({ description: 'Who offers the model.', example: 'inference-platform' })
  owned_by!: string;
}

export class PlaygroundModels {
  @ApiProperty({ enum: ['list'], description: 'Always `list`.' })
  object!: 'list';

  @ApiProperty({
    description:
      'All models that the account may use, with the further fields of `GET /v1/models` of the gateway.',
    type: [PlaygroundModel],
  })
  data!: PlaygroundModel[];
}

export class PlaygroundEstimate {
  @MoneyProperty({
    description: 'The most that the request can cost at the prices in force.',
    example: 0.0024706,
  })
  worst_case!: ExactNumber;

  @CurrencyProperty()
  currency!: Currency;

  @ApiProperty({ type: 'integer', description: 'The most tokens of the prompt.', example: 86 })
  input_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'The most tokens of all answers.', example: 16384 })
  max_tokens!: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'The limit that the gateway would set for the answer now, because more would take over a quarter of the free money. Null if it would set none.',
    example: null,
  })
  output_limit!: number | null;
}

/** An error of the gateway in the shape of the console. */
export class PlaygroundErrorResponse extends CodedErrorResponse {
  @ApiProperty({ required: false, description: 'The field at fault.', example: 'max_tokens' })
  param?: string;
}
