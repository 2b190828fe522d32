import { type Caller, CurrentCaller, StaffOnly } from '@inference/guards';
import { CostReportQuery, CostReportResponse } from '@inference/metering';
import { CodedErrorResponse } from '@inference/openapi';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { RouterCostProxy } from '../../inference/service-proxy/service-proxies';

const CSV_EXAMPLE = 'user,cost_usd,tokens\r\nacct_0Vc3kZ8dQ1mXw7RtYb2LsA,0.002468,1234\r\n';

/** The cost of all accounts for the pages of the console. The router-cost service reads it and decides on everything. */
@Controller('api/cost-report')
@ApiTags('Cost report')
@StaffOnly()
export class CostReportController {
  constructor(private readonly routerCost: RouterCostProxy) {}

  @Get()
  @ApiOperation({
    operationId: 'getCostReport',
    summary: 'Returns the cost in USD and the tokens of all accounts, grouped, highest cost first.',
    description:
      'Parameters and answer are those of `getCost` of the router-cost service with `accounts=all`. With `Accept: text/csv`, the whole report comes at once; it takes neither `limit` nor `cursor`.',
  })
  @ApiExtraModels(CostReportResponse)
  @ApiOkResponse({
    description: 'A page of the report as JSON, or the whole report as CSV.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(CostReportResponse) } },
      'text/csv': {
        schema: { type: 'string', description: 'RFC 4180: a header line, then a line per group.' },
        example: CSV_EXAMPLE,
      },
    },
  })
  @ApiResponse({ status: 400, description: 'A parameter is malformed.', type: CodedErrorResponse })
  @ApiResponse({
    status: 404,
    description: '`not_offered`: the console does not ask the router-cost service.',
    type: CodedErrorResponse,
  })
  @ApiResponse({
    status: 503,
    description:
      '`router_cost_unavailable`: the router-cost service cannot be reached. Or the database is not available.',
    type: CodedErrorResponse,
  })
  @ApiResponse({
    status: 504,
    description: '`router_cost_timeout`: the router-cost service did not answer in time.',
    type: CodedErrorResponse,
  })
  read(
    @CurrentCaller() caller: Caller,
    @Query() _query: CostReportQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    // The parameters as they came: those of the DTO are checked and parsed already.
    const query = { ...request.query, accounts: 'all' };
    return this.routerCost.forward({ caller, request, response }, '/v1/router/cost', query);
  }
}
