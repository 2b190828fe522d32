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
}
