import { Controller, Get, Inject } from '@nestjs/common';
import { CURRENCY_BY_SITE } from '@inference/config';
import { type Caller, CurrentCaller } from '@inference/credentials';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { ValidQuery } from '@inference/http';
import { readStatement } from '@inference/wallet';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type TransactionView, transactionView } from './transaction-view';
import { decodeCursor, encodeCursor } from './transactions.cursor';
import { transactionsQuery, type TransactionsQuery } from './transactions.dto';

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
    @ValidQuery(transactionsQuery) { limit, cursor }: TransactionsQuery,
  ): Promise<{ transactions: TransactionView[]; next_cursor: string | null }> {
    const after = cursor === undefined ? null : decodeCursor(accountId, cursor);
    const lines = await readStatement(this.pool, accountId, after, limit + 1);
    const page = lines.slice(0, limit);
    const last = page.at(-1);
    return {
      transactions: page.map((line) => transactionView(line, CURRENCY_BY_SITE[this.config.SITE])),
      next_cursor: last && lines.length > limit ? encodeCursor(accountId, last.position) : null,
    };
  }
}
