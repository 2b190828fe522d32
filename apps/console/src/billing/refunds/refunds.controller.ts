import { type Caller, CurrentCaller, StaffOnly } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ListOrCsv } from '../../lists/csv-list';
import { AdminRefundsQuery, AllRefundsResponse, RefundListResponse } from './refunds.dto';
import { RefundListsService } from './refunds.service';

const COLUMNS = 'id payment_id account_id amount currency status reason failure created_at ended_at'.split(
  ' ',
);

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
@StaffOnly()
export class AdminRefundsController {
  constructor(private readonly refunds: RefundListsService) {}

  @Get()
  @ApiOperation({
    operationId: 'listAllRefunds',
    summary: 'Lists the refunds of all accounts, newest first.',
  })
  @ListOrCsv({
    description: 'A page of refunds.',
    type: AllRefundsResponse,
    rows: 'refunds',
    columns: COLUMNS,
  })
  list(@Query() query: AdminRefundsQuery): Promise<AllRefundsResponse> {
    return this.refunds.listOfAll(query);
  }
}
