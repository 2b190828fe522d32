import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '@inference/guards';
import { Database } from '@inference/database';
import { PageQuery, readPage } from '@inference/http';
import { readStatement } from '@inference/wallet';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { TransactionListResponse, transactionView } from './transactions.dto';

@Controller('api/billing/transactions')
@ApiTags('Wallet')
export class TransactionsController {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listTransactions',
    summary: 'Lists the wallet’s transactions, newest first.',
  })
  @ApiOkResponse({ description: 'A page of transactions.', type: TransactionListResponse })
  async list(
    @CurrentCaller() { accountId }: Caller,
    @Query() query: PageQuery,
  ): Promise<TransactionListResponse> {
    const { rows, nextCursor } = await readPage(`transactions ${accountId}`, query, (after, count) =>
      readStatement(this.database, accountId, after, count),
    );
    const { currency } = this.site;
    return { transactions: rows.map((line) => transactionView(line, currency)), next_cursor: nextCursor };
  }
}
