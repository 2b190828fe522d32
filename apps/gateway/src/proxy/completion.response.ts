import { ApiOpenObject } from '@inference/openapi';
import { METERS, type Meter, PRICE_UNITS, type PriceUnit } from '@inference/metering';
import { ApiProperty } from '@nestjs/swagger';

/** Responses of OpenAI's API, for the API document. The models' servers write them. */

const PriceProperty = (description: string, example: number) =>
  ApiProperty({ type: Number, description, example });

/** A part of the cost. */
class CostDetail {
  @ApiProperty({ description: 'What was counted.', enum: METERS, example: 'input' })
  meter!: Meter;

  @ApiProperty({
    type: Number,
    description: 'How much, in the unit, exact: 0.000012 for 12 tokens at per_million_input_tokens.',
    example: 0.000012,
  })
  quantity!: number;

  @ApiProperty({ description: 'The unit of price and quantity.', enum: PRICE_UNITS })
  unit!: PriceUnit;

  @PriceProperty('Price of one unit, in the site’s currency.', 0.15)
  price!: number;

  @PriceProperty('What this part costs, in the site’s currency.', 0.0000018)
  cost!: number;
}

/** The gateway adds the cost, unless the API key says otherwise. */
@ApiOpenObject()
export class CompletionUsage {
  @ApiProperty({ type: 'integer', description: 'Tokens of the prompt.', example: 12, required: false })
  prompt_tokens?: number;

  @ApiProperty({ type: 'integer', description: 'Tokens of the answers.', example: 34, required: false })
  completion_tokens?: number;

  @ApiProperty({ type: 'integer', description: 'The sum.', example: 46, required: false })
  total_tokens?: number;

  @ApiProperty({
    type: Number,
    required: false,
    description:
      'What the call costs, in the site’s currency, with all its digits: the amount that was charged. Absent with an API key whose `reports_cost` is false.',
    example: 0.0000222,
  })
  cost?: number;

  @ApiProperty({
    type: () => [CostDetail],
    required: false,
    description: 'The parts of the cost, which add up to it.',
  })
  cost_details?: CostDetail[];
}

/** No member but the list of answers is certain. */
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

@ApiOpenObject()
class ChatDelta {
  @ApiProperty({
    type: 'string',
    nullable: true,
    required: false,
    description: 'The next text of the answer.',
    example: 'Hello',
  })
  content?: string | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    nullable: true,
    required: false,
    description: 'The next parts of calls of tools.',
  })
  tool_calls?: object[] | null;
}

const IndexProperty = () =>
  ApiProperty({ type: 'integer', required: false, description: 'Number of the answer, from 0.', example: 0 });

const FinishReasonProperty = () =>
  ApiProperty({
    type: 'string',
    nullable: true,
    required: false,
    description:
      'Why the answer ends: `stop`, `length`, `tool_calls` or what the model’s server says. Null or absent before the end.',
    example: 'stop',
  });

@ApiOpenObject()
class ChatChunkChoice {
  @IndexProperty()
  index?: number;

  @ApiProperty({
    type: () => ChatDelta,
    nullable: true,
    required: false,
    description: 'What the chunk adds.',
  })
  delta?: ChatDelta | null;

  @FinishReasonProperty()
  finish_reason?: string | null;
}

@ApiOpenObject()
class TextChunkChoice {
  @IndexProperty()
  index?: number;

  @ApiProperty({
    type: 'string',
    required: false,
    description: 'The next text of the answer.',
    example: 'Hello',
  })
  text?: string;

  @FinishReasonProperty()
  finish_reason?: string | null;
}

const ChunkUsageProperty = () =>
  ApiProperty({
    description: 'The metered tokens, in the last chunk. Null or absent in the others.',
    type: () => CompletionUsage,
    nullable: true,
    required: false,
  });

@ApiOpenObject()
export class ChatCompletionChunk {
  @ApiProperty({
    description: 'What the chunk adds to the answers. Empty in the chunk with the usage.',
    type: [ChatChunkChoice],
  })
  choices!: ChatChunkChoice[];

  @ChunkUsageProperty()
  usage?: CompletionUsage | null;
}

@ApiOpenObject()
export class CompletionChunk {
  @ApiProperty({
    description: 'What the chunk adds to the answers. Empty in the chunk with the usage.',
    type: [TextChunkChoice],
  })
  choices!: TextChunkChoice[];

  @ChunkUsageProperty()
  usage?: CompletionUsage | null;
}
