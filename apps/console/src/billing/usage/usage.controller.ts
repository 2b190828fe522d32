import { type Caller, CurrentCaller, StaffOnly } from '@inference/guards';
import { listAsCsv, listAsJson, type LongList, longListOf } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import {
  applyDecorators,
  Controller,
  Get,
  Param,
  Query,
  Req,
  Res,
  type StreamableFile,
} from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { AccountPath } from '../../accounts/accounts.dto';
import {
  CallCountsQuery,
  CallCountsResponse,
  UsageQuery,
  UsageResponse,
  type UsageRowResponse,
} from './usage.dto';
import { type UsageDimension } from './usage.repository';
import { UsageService } from './usage.service';

const CSV_EXAMPLE =
  'timestamp,model,quantity,unit,cost,currency\r\n2026-01-31T00:00:00.000Z,sandbox-chat,0.001234,per_million_tokens,0.002468,USD\r\n';

/** Documents what `usageAnswer` returns. */
const ApiUsageResponse = () =>
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
function usageAnswer(
  { group_by: dimensions }: UsageQuery,
  usage: LongList<UsageRowResponse>,
  { request, response }: { request: Request; response: Response },
): string | StreamableFile {
  response.vary('Accept');
  const isCsv = request.accepts(['json', 'csv']) === 'csv';
  response.type(isCsv ? 'text/csv' : 'application/json');
  return isCsv ? usageCsv(dimensions, usage, response) : listAsJson('usage', usage, response);
}

type Column = [name: string, valueOf: (row: UsageRowResponse) => string];

const COLUMNS: Record<UsageDimension, Column[]> = {
  model: [['model', ({ model }) => model ?? '']],
  api_key: [
    ['api_key_id', ({ api_key: key }) => key?.id ?? ''],
    ['api_key_name', ({ api_key: key }) => key?.name ?? ''],
  ],
  entrypoint: [['entrypoint', ({ entrypoint }) => entrypoint ?? '']],
};

/** The rows as CSV: a header, then one line per row, with the texts of the JSON. */
function usageCsv(
  dimensions: readonly UsageDimension[],
  rows: LongList<UsageRowResponse>,
  response: Response,
): string | StreamableFile {
  const columns: Column[] = [
    ['timestamp', ({ timestamp }) => timestamp],
    ...dimensions.flatMap((dimension) => COLUMNS[dimension]),
    ['quantity', ({ quantity }) => quantity.toString()],
    ['unit', ({ unit }) => unit],
    ['cost', ({ cost }) => cost.toString()],
    ['currency', ({ currency }) => currency],
  ];
  const lines = longListOf(rows, (row) => columns.map(([, valueOf]) => valueOf(row)));
  return listAsCsv(
    columns.map(([name]) => name),
    lines,
    response,
  );
}

@Controller('api/billing/usage')
@ApiTags('Wallet')
export class UsageController {
  constructor(private readonly usage: UsageService) {}

  @Get()
  @ApiOperation({
    operationId: 'getUsage',
    summary: 'Returns the account’s usage and its cost by hour, day or month, oldest first.',
    description:
      'With `Accept: text/csv`, the same rows come as CSV. Above 200,000 rows the answer is 400: ask for a shorter period, larger steps or fewer groups.',
  })
  @ApiUsageResponse()
  async read(
    @CurrentCaller() { accountId }: Caller,
    @Query() query: UsageQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string | StreamableFile> {
    const usage = await this.usage.read(accountId, query);
    return usageAnswer(query, usage, { request, response });
  }

  @Get('calls')
  @ApiOperation({
    operationId: 'countCalls',
    summary: 'Counts the account’s calls of models in a period, also those that were refused or failed.',
    description: 'Usage that a trainer reports counts as a call for each report.',
  })
  @ApiOkResponse({ description: 'The numbers of calls.', type: CallCountsResponse })
  count(
    @CurrentCaller() { accountId }: Caller,
    @Query() query: CallCountsQuery,
  ): Promise<CallCountsResponse> {
    return this.usage.countCalls(accountId, query);
  }
}

@Controller('api/admin/accounts')
@ApiTags('Administration of accounts')
@StaffOnly()
export class AdminUsageController {
  constructor(private readonly usage: UsageService) {}

  @Get(':id/usage')
  @ApiOperation({
    operationId: 'getUsageOfAccount',
    summary: 'Returns the usage of an account and its cost, as the account itself sees it.',
    description:
      'With `Accept: text/csv`, the same rows come as CSV. Above 200,000 rows the answer is 400: ask for a shorter period, larger steps or fewer groups.',
  })
  @ApiUsageResponse()
  @ApiErrors({ 404: 'There is no such account.' })
  async read(
    @Param() { id }: AccountPath,
    @Query() query: UsageQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string | StreamableFile> {
    const usage = await this.usage.readOfAccount(id, query);
    return usageAnswer(query, usage, { request, response });
  }
}
