import { type Caller, CurrentCaller, Roles } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccountPath } from '../../accounts/accounts.dto';
import { TransactionListResponse } from './transactions.dto';
import { TransactionsService } from './transactions.service';

@Controller('api/billing/transactions')
@ApiTags('Wallet')
export class TransactionsController {
  constructor(private readonly transactions: TransactionsService) {}

  @Get()
  @ApiOperation({
    operationId: 'listTransactions',
    summary: 'Lists the wallet’s transactions, newest first.',
  })
  @ApiOkResponse({ description: 'A page of transactions.', type: TransactionListResponse })
  list(@CurrentCaller() { accountId }: Caller, @Query() query: PageQuery): Promise<TransactionListResponse> {
    return this.transactions.list(accountId, query);
  }
}

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
