import { ApiProperty } from '@nestjs/swagger';

/** Spec: Errors. */
export class ErrorResponse {
  @ApiProperty({
    description: 'What is wrong, for people. It varies and must not be used for logic.',
    example: 'not found',
  })
  error!: string;
}
