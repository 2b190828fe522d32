import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '@inference/guards';
import { PageQuery } from '@inference/http';
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
