import { ApiProperty } from '@nestjs/swagger';

/** Spec: Errors. */
export class ErrorResponse {
  @ApiProperty({
    description: 'What is wrong, for people. It varies and must not be used for logic.',
    example: 'not found',
  })
  error!: string;
}

/** An error that programs may tell apart. */
export class CodedErrorResponse extends ErrorResponse {
  @ApiProperty({
    required: false,
    description: 'The reason, for programs; it does not change between versions.',
    example: 'busy',
  })
  code?: string;

  @ApiProperty({
    required: false,
    description:
      'With `insufficient_balance`: what the wallet lacks for the most that this can cost, as an exact decimal text.',
    example: '0.225',
  })
  missing_amount?: string;

  @ApiProperty({
    required: false,
    description:
      'With `insufficient_balance`: the page that proposes to top up the missing amount, if it is known.',
    example: 'https://console.example.com/top-up?amount=0.23',
  })
  top_up_url?: string;
}
