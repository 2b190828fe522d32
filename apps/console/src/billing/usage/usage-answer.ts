import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { usageCsv } from './usage.csv';
import { type UsageQuery, UsageResponse, type UsageRowResponse } from './usage.dto';

const CSV_EXAMPLE =
  'timestamp,model,quantity,unit,cost,currency\r\n2026-01-31T00:00:00.000Z,sandbox-chat,0.001234,per_million_tokens,0.002468,USD\r\n';

/** Documents what `usageAnswer` returns. */
export const ApiUsageResponse = () =>
  applyDecorators(
    ApiExtraModels(UsageResponse),
    ApiOkResponse({
      description: 'The usage of the period, as JSON or CSV.',
      content: {
        'application/json': { schema: { $ref: getSchemaPath(UsageResponse) } },
        'text/csv': {
          schema: { type: 'string', description: 'RFC 4180: a header line, then a line per row.' },
          example: CSV_EXAMPLE,
        },
      },
    }),
  );

/** The rows as JSON, or as CSV if the client prefers that. */
export function usageAnswer(
  { group_by: dimensions }: UsageQuery,
  usage: UsageRowResponse[],
  { request, response }: { request: Request; response: Response },
): UsageResponse | string {
  response.vary('Accept');
  if (request.accepts(['json', 'csv']) !== 'csv') return { usage };
  response.type('text/csv');
  return usageCsv(dimensions, usage);
}
