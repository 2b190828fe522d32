import { BooleanField, ChoiceField, JsonObjectField, ObjectField, TextField } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';

// Tools have OpenAI's shapes: the definitions that a session offers its model, the model's calls, and the caller's results.

/** Longest text of a message, of the arguments of a call, or of the result of a call. */
export const MAX_CONTENT_CHARS = 262_144;
export const MAX_CALLS = 128;
const MAX_DESCRIPTION_CHARS = 16_384;
const MAX_CALL_ID_CHARS = 200;
const FUNCTION_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const CALL_ID_EXAMPLE = 'call_0Vc3kZ8dQ1mXw7RtYb2LsA';
const ARGUMENTS_EXAMPLE = '{"city":"Berlin"}';

export class ToolFunctionDto {
  @TextField({
    description: 'Name of the function. It differs from the names of all others of the session.',
    example: 'weather',
    pattern: [FUNCTION_NAME, 'must be 1 to 64 of A-Z a-z 0-9 _ -'],
  })
  name!: string;

  @TextField({
    description: 'What the function does, for the model.',
    example: 'Returns the weather of a city.',
    minLength: 0,
    maxLength: MAX_DESCRIPTION_CHARS,
    optional: true,
  })
  description?: string;

  @JsonObjectField({
    description: 'JSON Schema of the arguments. It is passed to the model as it is.',
    example: { type: 'object', properties: { city: { type: 'string' } } },
    optional: true,
  })
  parameters?: Record<string, unknown>;

  @BooleanField({
    description: 'The model keeps to the schema exactly, if its server supports that.',
    optional: true,
    nullable: true,
  })
  strict?: boolean | null;
}

/** A function that the model may call. */
export class ToolDefinitionDto {
  @ChoiceField(['function'], { description: 'Always `function`.' })
  type!: 'function';

  @ObjectField(() => ToolFunctionDto, { description: 'The function.' })
  function!: ToolFunctionDto;
}
export type ToolDefinition = ToolDefinitionDto;

const callId = {
  description: 'The id of the call, as the model or the platform gave it.',
  example: CALL_ID_EXAMPLE,
  maxLength: MAX_CALL_ID_CHARS,
};

export class CalledFunctionDto {
  @TextField({ description: 'Name of the function.', example: 'weather', maxLength: 200 })
  name!: string;

  @TextField({
    description: 'The arguments: JSON as the model wrote it.',
    example: ARGUMENTS_EXAMPLE,
    minLength: 0,
    maxLength: MAX_CONTENT_CHARS,
  })
  arguments!: string;
}

/** A call of the model that the client sends back. */
export class ToolCallDto {
  @TextField(callId)
  id!: string;

  @ChoiceField(['function'], { description: 'Always `function`.' })
  type!: 'function';

  @ObjectField(() => CalledFunctionDto, { description: 'The function and its arguments.' })
  function!: CalledFunctionDto;
}

/** The result of one call of the model. */
export class ToolCallResultDto {
  @TextField(callId)
  tool_call_id!: string;

  @TextField({
    description: 'The result as the model reads it.',
    example: '12 degrees, rain',
    minLength: 0,
    maxLength: MAX_CONTENT_CHARS,
  })
  content!: string;

  @BooleanField({
    description: 'The call has failed: the model reads `Error: ` before the content.',
    optional: true,
    nullable: true,
  })
  is_error?: boolean | null;
}

class CalledFunctionResponse {
  @ApiProperty({ description: 'Name of the function.', example: 'weather' })
  name!: string;

  @ApiProperty({
    description: 'The arguments: JSON that the model wrote. It may be invalid.',
    example: ARGUMENTS_EXAMPLE,
  })
  arguments!: string;
}

/** A call of a function by the model. */
export class ToolCallResponse {
  @ApiProperty({ description: 'Names the call in its session.', example: CALL_ID_EXAMPLE })
  id!: string;

  @ApiProperty({ enum: ['function'], description: 'Always `function`.' })
  type!: 'function';

  @ApiProperty({ description: 'The function and its arguments.' })
  function!: CalledFunctionResponse;
}
export type ToolCall = ToolCallResponse;

/** The result of one call, from the client, or from the platform if the turn has ended before. */
export class ToolCallResultResponse {
  @ApiProperty({ description: 'The id of the call.', example: CALL_ID_EXAMPLE })
  tool_call_id!: string;

  @ApiProperty({ description: 'The result as the model reads it.', example: '12 degrees, rain' })
  content!: string;

  @ApiProperty({ required: false, description: 'Whether the call has failed; absent unless it was sent.' })
  is_error?: boolean;
}
export type ToolCallResult = ToolCallResultResponse;
