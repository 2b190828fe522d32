import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '@inference/guards';
import { RefundListsService } from './refund-lists.service';
import { AdminRefundsQuery, AllRefundsResponse } from './refunds.dto';

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
