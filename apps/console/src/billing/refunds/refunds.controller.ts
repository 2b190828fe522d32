import { type Caller, CurrentCaller, Roles } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminRefundsQuery, AllRefundsResponse, RefundListResponse } from './refunds.dto';
import { RefundListsService } from './refunds.service';

@Controller('api/billing/refunds')
@ApiTags('Payments')
export class RefundsController {
  constructor(private readonly refunds: RefundListsService) {}

  @Get()
  @ApiOperation({
    operationId: 'listRefunds',
    summary: 'Lists the refunds of the account’s payments, newest first.',
  })
  @ApiOkResponse({ description: 'A page of refunds.', type: RefundListResponse })
  list(@CurrentCaller() { accountId }: Caller, @Query() query: PageQuery): Promise<RefundListResponse> {
    return this.refunds.list(accountId, query);
  }
}

@Controller('api/admin/billing/refunds')
@ApiTags('Administration of payments')
@Roles('admin')
export class AdminRefundsController {
  constructor(private readonly refunds: RefundListsService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'listAllRefunds',
    summary: 'Lists the refunds of all accounts, newest first.',
  })
  @ApiOkResponse({ description: 'A page of refunds.', type: AllRefundsResponse })
  list(@Query() query: AdminRefundsQuery): Promise<AllRefundsResponse> {
    return this.refunds.listOfAll(query);
  }
}
