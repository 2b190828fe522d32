import { ApiProperty } from '@nestjs/swagger';
import { ApiOpenObject } from '@inference/openapi';

@ApiOpenObject()
class OpenAiError {
  @ApiProperty({
    description: 'What is wrong, for people.',
    example: 'The model `x` does not exist or is not offered here.',
  })
  message!: string;

  @ApiProperty({
    description: 'The kind of error; it follows from the status.',
    example: 'invalid_request_error',
  })
  type!: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The field or header at fault.',
    example: 'model',
  })
  param!: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'For programs.', example: 'model_not_found' })
  code!: string | null;
}

/** The body of OpenAI's errors. */
@ApiOpenObject()
export class OpenAiErrorResponse {
  @ApiProperty({ description: 'The error.' })
  error!: OpenAiError;
}
