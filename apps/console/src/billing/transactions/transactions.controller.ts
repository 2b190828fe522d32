import { type Caller, CurrentCaller, StaffOnly } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ListOrCsv } from '../../lists/csv-list';
import { AccountPath } from '../../accounts/accounts.dto';
import { TransactionListResponse } from './transactions.dto';
import { TransactionsService } from './transactions.service';

const COLUMNS = 'id type amount currency created_at description cause payment_id provider model'.split(' ');

@Controller('api/billing/transactions')
@ApiTags('Wallet')
export class TransactionsController {
  constructor(private readonly transactions: TransactionsService) {}

  @Get()
  @ApiOperation({
    operationId: 'listTransactions',
    summary: 'Lists the wallet’s transactions, newest first.',
  })
  @ListOrCsv({
    description: 'A page of transactions.',
    type: TransactionListResponse,
    rows: 'transactions',
    columns: COLUMNS,
  })
  list(@CurrentCaller() { accountId }: Caller, @Query() query: PageQuery): Promise<TransactionListResponse> {
    return this.transactions.list(accountId, query);
  }
}

@Controller('api/admin/accounts')
@ApiTags('Administration of accounts')
@StaffOnly()
export class AdminTransactionsController {
  constructor(private readonly transactions: TransactionsService) {}

  @Get(':id/transactions')
  @ApiOperation({
    operationId: 'listTransactionsOfAccount',
    summary: 'Lists the transactions of an account’s wallet, newest first.',
  })
  @ListOrCsv({
    description: 'A page of transactions.',
    type: TransactionListResponse,
    rows: 'transactions',
    columns: COLUMNS,
  })
  @ApiErrors({ 404: 'There is no such account.' })
  list(@Param() { id }: AccountPath, @Query() query: PageQuery): Promise<TransactionListResponse> {
    return this.transactions.listOfAccount(id, query);
  }
}
