import { BadRequestException, Controller, Get, Header, Req, Res, UseInterceptors } from '@nestjs/common';
import { Accepts, type Caller, CurrentCaller } from '@inference/guards';
import { ExactJsonInterceptor, ValidQuery } from '@inference/http';
import { exactNumber, picosToDecimal } from '@inference/money';
import { type Request, type Response } from 'express';
import { toCsv } from './cost.csv';
import { costQuery, type CostQuery, type Dimension } from './cost.query';
import { type CostGroup, CostService } from './cost.service';

/** `GET /v1/router/cost` (spec: Router service, Router cost item): JSON in pages, or the whole report as CSV. */
@Controller('v1/router/cost')
@Accepts('session_cookie', 'api_key')
@UseInterceptors(ExactJsonInterceptor)
export class CostController {
  constructor(private readonly cost: CostService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @Header('Vary', 'Accept')
  async read(
    @CurrentCaller() caller: Caller,
    @ValidQuery(costQuery) query: CostQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<unknown> {
    if (request.accepts(['json', 'csv']) === 'csv') {
      const csv = await this.readCsv(caller, query);
      response.type('text/csv');
      return csv;
    }
    const { groups, nextCursor } = await this.cost.readPage(caller, query);
    return { items: groups.map((group) => toItem(query.group_by, group)), next_cursor: nextCursor };
  }

  private async readCsv(caller: Caller, query: CostQuery): Promise<string> {
    for (const name of ['limit', 'cursor'] as const) {
      if (query[name] !== undefined) throw new BadRequestException(`${name}: a CSV report has no pages`);
    }
    return toCsv(query.group_by, await this.cost.readAll(caller, query));
  }
}

/** An item of the report; the cost is in USD with all its digits. */
function toItem(dimensions: readonly Dimension[], { keys, costUsdPicos, tokens }: CostGroup) {
  return {
    ...Object.fromEntries(dimensions.map((dimension, index) => [dimension, keys[index]])),
    cost_usd: exactNumber(picosToDecimal(costUsdPicos)),
    tokens,
  };
}
