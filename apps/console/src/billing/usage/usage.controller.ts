import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '@inference/guards';
import { type Request, type Response } from 'express';
import { usageCsv } from './usage.csv';
import { UsageQuery, UsageResponse } from './usage.dto';
import { UsageService } from './usage.service';

const CSV_EXAMPLE =
  'timestamp,model,quantity,unit,cost,currency\r\n2026-01-31T00:00:00.000Z,sandbox-chat,0.001234,per_million_tokens,0.002468,USD\r\n';

@Controller('api/billing/usage')
@ApiTags('Wallet')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Get()
  @ApiOperation({
    operationId: 'getUsage',
    summary: 'Returns the account’s usage and its cost by hour, day or month, oldest first.',
    description: 'With `Accept: text/csv`, the same rows come as CSV.',
  })
  @ApiExtraModels(UsageResponse)
  @ApiOkResponse({
    description: 'The usage of the period, as JSON or CSV.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(UsageResponse) } },
      'text/csv': {
        schema: { type: 'string', description: 'RFC 4180: a header line, then a line per row.' },
        example: CSV_EXAMPLE,
      },
    },
  })
  async read(
    @CurrentCaller() { accountId }: Caller,
    @Query() query: UsageQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UsageResponse | string> {
    const usage = await this.usage.read(accountId, query);
    response.vary('Accept');
    if (request.accepts(['json', 'csv']) !== 'csv') return { usage };
    response.type('text/csv');
    return usageCsv(query.group_by, usage);
  }
}
