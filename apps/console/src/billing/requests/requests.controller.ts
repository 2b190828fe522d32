import { Readable } from 'node:stream';
import { type Caller, CurrentCaller } from '@inference/guards';
import { csvLine } from '@inference/http';
import { stringifyExact } from '@inference/money';
import { ApiErrors } from '@inference/openapi';
import { BadRequestException, Controller, Get, Header, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { sendStream } from '../documents/download';
import {
  RequestDetailResponse,
  RequestListResponse,
  RequestPath,
  type RequestResponse,
  RequestsQuery,
} from './requests.dto';
import { RequestsService } from './requests.service';

const CSV_EXAMPLE =
  'id,created_at,started_at,model,api_key_id,api_key_name,entrypoint,input_tokens,output_tokens,estimated,cost,currency,outcome,status,http_status,error_code,duration_ms,time_to_first_token_ms,tokens_per_second,finish_reason\r\n';

@Controller('api/billing/requests')
@ApiTags('Wallet')
export class RequestsController {
  constructor(private readonly requests: RequestsService) {}

  @Get()
  @ApiOperation({
    operationId: 'listRequests',
    summary: 'Lists the account’s calls of models with their cost, newest first.',
    description:
      'The log holds what was served, wholly or in part, and for 30 days what was refused or failed: of an account’s refused and failed calls, each process of the gateway records at most 600 a minute. Never a prompt or an answer. Served calls before `archived_until` may be archived and not listed. With `Accept: text/csv`, all calls that the filters select come at once.',
  })
  @ApiExtraModels(RequestListResponse)
  @ApiOkResponse({
    description: 'A page of calls as JSON, or all calls as CSV.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(RequestListResponse) } },
      'text/csv': {
        schema: { type: 'string', description: 'RFC 4180: a header line, then a line per call.' },
        example: CSV_EXAMPLE,
      },
    },
  })
  async list(
    @CurrentCaller() { accountId }: Caller,
    @Query() query: RequestsQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    response.set('Cache-Control', 'no-store').vary('Accept');
    if (request.accepts(['json', 'csv']) !== 'csv') {
      const page = await this.requests.list(accountId, query);
      response.type('application/json').send(stringifyExact(page));
      return;
    }
    for (const name of ['limit', 'cursor'])
      if (request.query[name] !== undefined)
        throw new BadRequestException(`${name}: a CSV report has no pages`);
    const pages = await this.requests.export(accountId, query);
    response.type('text/csv');
    await sendStream(response, Readable.from(requestsCsv(pages)));
  }

  @Get(':requestId')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'getRequest',
    summary: 'Returns one call and how its cost came about.',
    description:
      'A call that ended with `billing_unknown` is found as soon as it is known whether it was charged: with its cost, or as failed and free.',
  })
  @ApiOkResponse({ description: 'The call.', type: RequestDetailResponse })
  @ApiErrors({ 404: 'The account has no such call.' })
  find(
    @CurrentCaller() { accountId }: Caller,
    @Param() { requestId }: RequestPath,
  ): Promise<RequestDetailResponse> {
    return this.requests.find(accountId, requestId);
  }
}

type Column = [name: string, valueOf: (request: RequestResponse) => string];

const COLUMNS: Column[] = [
  ['id', ({ id }) => id],
  ['created_at', (request) => request.created_at],
  ['started_at', (request) => request.started_at],
  ['model', ({ model }) => model ?? ''],
  ['api_key_id', (request) => request.api_key?.id ?? ''],
  ['api_key_name', (request) => request.api_key?.name ?? ''],
  ['entrypoint', ({ entrypoint }) => entrypoint],
  ['input_tokens', (request) => String(request.input_tokens)],
  ['output_tokens', (request) => String(request.output_tokens)],
  ['estimated', ({ estimated }) => String(estimated)],
  ['cost', ({ cost }) => cost.toString()],
  ['currency', ({ currency }) => currency],
  ['outcome', ({ outcome }) => outcome],
  ['status', ({ status }) => status],
  ...(
    [
      'http_status',
      'error_code',
      'duration_ms',
      'time_to_first_token_ms',
      'tokens_per_second',
      'finish_reason',
    ] as const
  ).map((name): Column => [name, (request) => String(request[name] ?? '')]),
];

const HEADER = csvLine(COLUMNS.map(([name]) => name));

/** Renders the calls as CSV: a header, then one line per call, with the texts of the JSON. */
async function* requestsCsv(pages: AsyncIterable<RequestResponse[]>): AsyncGenerator<string> {
  yield HEADER;
  for await (const requests of pages)
    yield requests.map((request) => csvLine(COLUMNS.map(([, valueOf]) => valueOf(request)))).join('');
}
