import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';

/**
 * The errors of an operation beside those that its credentials, parameters and body imply (400, 401, 403, 408, 413, 415, 429, 500,
 * 503), with the reason of each. The document adds the body in the shape of the service.
 */
export const ApiErrors = (reasons: Record<number, string>) =>
  applyDecorators(
    ...Object.entries(reasons).map(([status, description]) =>
      ApiResponse({ status: Number(status), description }),
    ),
  );
