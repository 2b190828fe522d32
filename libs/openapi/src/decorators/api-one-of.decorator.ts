import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, type ApiResponseOptions, getSchemaPath } from '@nestjs/swagger';

export interface OneOfOptions {
  description: string;
  types: Type[];
  status?: number;
  headers?: ApiResponseOptions['headers'];
}

/** A JSON response that is of one of several classes; 200 by default. */
export const ApiOneOf = ({ description, types, status = 200, headers = {} }: OneOfOptions) =>
  applyDecorators(
    ApiExtraModels(...types),
    ApiResponse({
      status,
      description,
      headers,
      schema: { oneOf: types.map((type) => ({ $ref: getSchemaPath(type) })) },
    }),
  );
