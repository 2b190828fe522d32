import { Database } from '@inference/database';
import { IdField } from '@inference/dto';
import { StaffOnly } from '@inference/guards';
import { ApiErrors } from '@inference/openapi';
import { Controller, Get, Header, NotFoundException, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ListOrCsv } from '../../lists/csv-list';
import { AccountPath } from '../../accounts/accounts.dto';
import { readAccount } from '../../accounts/accounts.repository';
import {
  AnyRequestDetailResponse,
  OperatorRequestDetailResponse,
  OperatorRequestListResponse,
  RequestPath,
  RequestsQuery,
} from './requests.dto';
import { RequestsService } from './requests.service';

class AccountRequestPath extends RequestPath {
  @IdField({ description: 'The id of the account.', noun: 'account', prefix: 'acct' })
  id!: string;
}

/** The calls of any account, for whom answers its questions about a cost. */
@Controller('api/admin/accounts')
@ApiTags('Administration of accounts')
@StaffOnly()
export class AdminRequestsController {
  constructor(
    private readonly database: Database,
    private readonly requests: RequestsService,
  ) {}

  @Get(':id/requests')
  @ApiOperation({
    operationId: 'listRequestsOfAccount',
    summary:
      'Lists the calls of models of an account, newest first, as the account itself sees them, and which server was asked.',
  })
  @ListOrCsv({
    description: 'A page of calls.',
    type: OperatorRequestListResponse,
    rows: 'requests',
    mostRows: 100_000,
    columns:
      'id created_at started_at model api_key.id api_key.name entrypoint endpoint status outcome http_status error_code finish_reason input_tokens output_tokens estimated cost currency duration_ms time_to_first_token_ms time_to_first_byte_ms tokens_per_second upstream'.split(
        ' ',
      ),
  })
  @ApiErrors({ 404: 'There is no such account.' })
  async list(
    @Param() { id }: AccountPath,
    @Query() query: RequestsQuery,
  ): Promise<OperatorRequestListResponse> {
    if (!(await readAccount(this.database, id))) throw new NotFoundException('no such account');
    return this.requests.listForOperator(id, query);
  }

  @Get(':id/requests/:requestId')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'getRequestOfAccount',
    summary: 'Returns one call of an account and how its cost came about.',
  })
  @ApiOkResponse({ description: 'The call.', type: OperatorRequestDetailResponse })
  @ApiErrors({ 404: 'The account has no such call, or there is no such account.' })
  find(@Param() { id, requestId }: AccountRequestPath): Promise<OperatorRequestDetailResponse> {
    return this.requests.findForOperator(id, requestId);
  }
}

@Controller('api/admin/requests')
@ApiTags('Support')
@StaffOnly()
export class AnyRequestController {
  constructor(private readonly requests: RequestsService) {}

  @Get(':requestId')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'getAnyRequest',
    summary: 'Finds a call of any account by its id, also one that was refused or failed.',
  })
  @ApiOkResponse({ description: 'The call and its account.', type: AnyRequestDetailResponse })
  @ApiErrors({ 404: 'There is no such call.' })
  find(@Param() { requestId }: RequestPath): Promise<AnyRequestDetailResponse> {
    return this.requests.findOfAnyAccount(requestId);
  }
}
