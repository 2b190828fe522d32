import { ApiOpenObject } from '@inference/openapi';
import { ApiProperty } from '@nestjs/swagger';

/** Responses of OpenAI's API, for the API document. The models' servers write them. */

@ApiOpenObject()
class CompletionUsage {
  @ApiProperty({ type: 'integer', description: 'Tokens of the prompt.', example: 12, required: false })
  prompt_tokens?: number;

  @ApiProperty({ type: 'integer', description: 'Tokens of the answers.', example: 34, required: false })
  completion_tokens?: number;

  @ApiProperty({ type: 'integer', description: 'The sum.', example: 46, required: false })
  total_tokens?: number;
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
