import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { RefundListsService } from './refund-lists.service';
import { RefundListResponse } from './refunds.dto';

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
