import { Accepts, type Caller, CurrentCaller } from '@inference/guards';
import { ExactJsonInterceptor, listAsCsv, longListOf } from '@inference/http';
import { CostReportItem, CostReportResponse } from '@inference/metering';
import { exactNumber, picosToDecimal } from '@inference/money';
import {
  BadRequestException,
  Controller,
  Get,
  Header,
  Query,
  Req,
  Res,
  StreamableFile,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { type CostGroup } from './cost.repository';
import { CostQuery, type GroupKey, groupKeysOf } from './cost.dto';
import { CostService } from './cost.service';

const CSV_EXAMPLE = 'model,cost_usd,tokens\r\ndemo-model,0.002468,1234\r\n';

/** Spec: Router service, Router cost item. */
@Controller('v1/router/cost')
@ApiTags('Cost')
@Accepts('session_cookie', 'api_key', 'on_behalf')
@UseInterceptors(ExactJsonInterceptor)
export class CostController {
  constructor(private readonly cost: CostService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @Header('Vary', 'Accept')
  @ApiOperation({
    operationId: 'getCost',
    summary: 'Returns cost in USD and tokens, grouped, highest cost first.',
    description:
      'An account sees its own cost; sessions of the roles admin, finance and analyst also see the cost of all accounts. An API key with a spending limit or a list of models sees the cost of its own calls. JSON comes in pages that all show the state of the first one. With `Accept: text/csv`, the whole report comes at once, if it has at most 250,000 lines.',
  })
  @ApiExtraModels(CostReportResponse)
  @ApiOkResponse({
    description: 'A page of the report as JSON, or the whole report as CSV.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(CostReportResponse) } },
      'text/csv': {
        schema: {
          type: 'string',
          description: 'RFC 4180: a header line, then a line per group with its dimensions, cost and tokens.',
        },
        example: CSV_EXAMPLE,
      },
    },
  })
  async read(
    @CurrentCaller() caller: Caller,
    @Query() query: CostQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CostReportResponse | string | StreamableFile> {
    if (request.accepts(['json', 'csv']) === 'csv') {
      const csv = await this.readCsv(caller, query, response);
      response.type('text/csv');
      return csv;
    }
    const { groups, nextCursor } = await this.cost.readPage(caller, query);
    return { items: groups.map((group) => toItem(groupKeysOf(query), group)), next_cursor: nextCursor };
  }

  private async readCsv(
    caller: Caller,
    query: CostQuery,
    response: Response,
  ): Promise<string | StreamableFile> {
    for (const name of ['limit', 'cursor'] as const) {
      if (query[name] !== undefined) throw new BadRequestException(`${name}: a CSV report has no pages`);
    }
    return csvOf(groupKeysOf(query), await this.cost.readAll(caller, query), response);
  }
}

function toItem(names: readonly GroupKey[], { keys, costUsdPicos, tokens }: CostGroup): CostReportItem {
  const valueOf = (name: GroupKey, key: string) => (name === 'api_key' && key === '' ? null : key);
  return {
    ...Object.fromEntries(names.map((name, index) => [name, valueOf(name, keys[index]!)])),
    cost_usd: exactNumber(picosToDecimal(costUsdPicos)),
    tokens,
  };
}

/** The report as CSV: a header, then one line per group. */
const csvOf = (
  names: readonly GroupKey[],
  groups: readonly CostGroup[],
  response: Response,
): string | StreamableFile =>
  listAsCsv(
    [...names, 'cost_usd', 'tokens'],
    longListOf(groups, ({ keys, costUsdPicos, tokens }) => [
      ...keys,
      picosToDecimal(costUsdPicos),
      String(tokens),
    ]),
    response,
  );
