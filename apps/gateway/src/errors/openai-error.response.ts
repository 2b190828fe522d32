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

  @ApiProperty({
    description:
      'With `insufficient_balance`: what the wallet has free, in `currency`. Amounts are exact decimal texts.',
    required: false,
    example: '0.12',
  })
  available_amount?: string;

  @ApiProperty({
    description: 'With `insufficient_balance`: the most that the request can cost.',
    required: false,
    example: '0.345',
  })
  required_amount?: string;

  @ApiProperty({
    description: 'With `insufficient_balance`: the difference, which has to be topped up at least.',
    required: false,
    example: '0.225',
  })
  missing_amount?: string;

  @ApiProperty({ description: 'The currency of the amounts.', required: false, example: 'USD' })
  currency?: string;

  @ApiProperty({
    description: 'With `insufficient_balance`: the page that proposes to top up the missing amount.',
    required: false,
    example: 'https://console.example.com/top-up?amount=0.23',
  })
  top_up_url?: string;
}

/** The body of OpenAI's errors. */
@ApiOpenObject()
export class OpenAiErrorResponse {
  @ApiProperty({ description: 'The error.' })
  error!: OpenAiError;
}
