import { applyDecorators } from '@nestjs/common';
import { ErrorResponse } from '@inference/openapi';
import { ApiProperty, ApiResponse } from '@nestjs/swagger';

class CodedErrorResponse extends ErrorResponse {
  @ApiProperty({
    description:
      'The reason, for programs. It does not change between versions. Errors of the model call and of a service that stops have it.',
    example: 'interrupted',
    required: false,
  })
  code?: string;
}

/** Like `ApiErrors`, for errors that may have a `code`. */
export const ApiCodedErrors = (reasons: Record<number, string>) =>
  applyDecorators(
    ...Object.entries(reasons).map(([status, description]) =>
      ApiResponse({ status: Number(status), description, type: CodedErrorResponse }),
    ),
  );
