import { Controller, Get, Inject } from '@nestjs/common';
import { CURRENCY_BY_SITE } from '@inference/config';
import { type Caller, CurrentCaller } from '@inference/credentials';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { type PageQuery, pageQuery, readPage, ValidQuery } from '@inference/http';
import { readStatement } from '@inference/wallet';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type TransactionView, transactionView } from './transaction-view';

@Controller('api/billing/transactions')
export class TransactionsController {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /** The caller's wallet transactions, newest first; `next_cursor` is null at the end (spec: Billing). */
  @Get()
  async list(
    @CurrentCaller() { accountId }: Caller,
    @ValidQuery(pageQuery) query: PageQuery,
  ): Promise<{ transactions: TransactionView[]; next_cursor: string | null }> {
    const { rows, nextCursor } = await readPage(`transactions ${accountId}`, query, (after, count) =>
      readStatement(this.pool, accountId, after, count),
    );
    const currency = CURRENCY_BY_SITE[this.config.SITE];
    return { transactions: rows.map((line) => transactionView(line, currency)), next_cursor: nextCursor };
  }
}
