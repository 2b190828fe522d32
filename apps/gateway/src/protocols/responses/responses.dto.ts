import { BooleanField, IntegerField, TextField } from '@inference/dto';
import { ApiOpenObject } from '@inference/openapi';
import { ApiProperty } from '@nestjs/swagger';

/** Requests and answers of OpenAI's Responses, for the API document. `responses-request.ts` reads the bodies. */

const OBJECTS = { type: 'array', items: { type: 'object', additionalProperties: true } } as const;
const OPTIONAL_OBJECT = { type: 'object', additionalProperties: true, selfRequired: false } as const;

@ApiOpenObject()
export class ResponsesRequest {
  @TextField({ description: 'Slug of a model of `GET /v1/models`.', maxLength: 200, example: 'sandbox-chat' })
  model!: string;

  @ApiProperty({
    oneOf: [{ type: 'string' }, OBJECTS],
    description:
      'A text, or items: `message`, `reasoning`, `function_call`, `custom_tool_call`, the outputs of calls, and `item_reference` to items of stored responses.',
    example: 'What is a ledger?',
  })
  input!: string | object[];

  @ApiProperty({
    type: 'string',
    nullable: true,
    required: false,
    description: 'Instructions.',
    example: 'Be brief.',
  })
  instructions?: string | null;

  @ApiProperty({
    ...OBJECTS,
    required: false,
    description:
      'Tools that the client runs: `function` and `custom`. `web_search` and `namespace` are left out and named in `X-Ignored-Fields`; others are refused.',
  })
  tools?: object[];

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }],
    required: false,
    description: '`auto`, `none`, `required`, or a `function`, a `custom` tool or `allowed_tools`.',
    example: 'auto',
  })
  tool_choice?: string | object;

  @ApiProperty({
    ...OPTIONAL_OBJECT,
    description: '`format` (`text`, `json_object`, `json_schema`) and `verbosity`.',
  })
  text?: object;

  @ApiProperty({
    ...OPTIONAL_OBJECT,
    description: '`effort`; with `summary` the thoughts come as a summary instead of as content.',
  })
  reasoning?: object;

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description: 'Most tokens of the answer, thoughts included.',
    example: 256,
  })
  max_output_tokens?: number | null;

  @BooleanField({ optional: true, nullable: true, description: 'Answer as server-sent events.' })
  stream?: boolean | null;

  @BooleanField({
    optional: true,
    nullable: true,
    description:
      'Whether the response is stored, if the account agrees to that in its settings. By default it is then.',
  })
  store?: boolean | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    required: false,
    description:
      'A stored response to go on from: what was said until then is put before `input`. Instructions and tools are not taken over.',
    example: 'resp_0123456789abcdef',
  })
  previous_response_id?: string | null;
}

@ApiOpenObject()
class ResponsesUsage {
  @ApiProperty({
    type: 'integer',
    description: 'Tokens of the prompt, with those of the cache.',
    example: 12,
  })
  input_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'Tokens of the answer, thoughts included.', example: 34 })
  output_tokens!: number;

  @ApiProperty({ type: 'integer', description: 'The sum.', example: 46 })
  total_tokens!: number;
}

@ApiOpenObject()
export class ResponseResponse {
  @ApiProperty({ description: 'Names the answer.', example: 'resp_0123456789abcdef' })
  id!: string;

  @ApiProperty({ enum: ['response'], description: 'Always `response`.' })
  object!: 'response';

  @ApiProperty({
    description: '`completed` or `incomplete`; in a stream also `in_progress` and `failed`.',
    example: 'completed',
  })
  status!: string;

  @ApiProperty({ description: 'The model that the request names.', example: 'sandbox-chat' })
  model!: string;

  @ApiProperty({
    ...OBJECTS,
    description: 'Items: `message`, `reasoning`, `function_call`, `custom_tool_call`.',
  })
  output!: object[];

  @ApiProperty({ description: 'Whether it is stored. False in a stream until it is.' })
  store!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    required: false,
    description: 'The response that it goes on from.',
    example: null,
  })
  previous_response_id?: string | null;

  @ApiProperty({
    type: () => ResponsesUsage,
    nullable: true,
    description: 'The metered tokens. Null before the end, and if the model’s server reports none.',
  })
  usage!: ResponsesUsage | null;
}

@ApiOpenObject()
export class ResponsesEvent {
  @ApiProperty({ description: 'The name of the event.', example: 'response.output_text.delta' })
  type!: string;

  @ApiProperty({ type: 'integer', description: 'Number of the event, from 0.', example: 4 })
  sequence_number!: number;
}
