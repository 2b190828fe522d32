import { applyDecorators } from '@nestjs/common';
import { CodedErrorResponse } from '@inference/openapi';
import { ApiResponse } from '@nestjs/swagger';

/** Like `ApiErrors`, for errors that may have a `code`. */
export const ApiCodedErrors = (reasons: Record<number, string>) =>
  applyDecorators(
    ...Object.entries(reasons).map(([status, description]) =>
      ApiResponse({ status: Number(status), description, type: CodedErrorResponse }),
    ),
  );
