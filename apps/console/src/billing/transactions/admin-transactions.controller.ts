import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { AccountPath } from '../../identity/accounts/accounts.dto';
import { TransactionListResponse } from './transactions.dto';
import { TransactionsService } from './transactions.service';

@Controller('api/admin/accounts')
@ApiTags('Administration of accounts')
@Roles('admin')
export class AdminTransactionsController {
  constructor(private readonly transactions: TransactionsService) {}

  @Get(':id/transactions')
  @ApiOperation({
    operationId: 'listTransactionsOfAccount',
    summary: 'Lists the transactions of an account’s wallet, newest first.',
  })
  @ApiOkResponse({ description: 'A page of transactions.', type: TransactionListResponse })
  @ApiErrors({ 404: 'There is no such account.' })
  list(@Param() { id }: AccountPath, @Query() query: PageQuery): Promise<TransactionListResponse> {
    return this.transactions.listOfAccount(id, query);
  }
}
