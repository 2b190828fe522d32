import { Controller, Get, Inject } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/guards';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { type PageQuery, pageQuery, readPage, ValidQuery } from '@inference/http';
import { readStatement } from '@inference/wallet';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { type TransactionView, transactionView } from './transactions.dto';

@Controller('api/billing/transactions')
export class TransactionsController {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /** Spec: Billing. The caller's wallet transactions, newest first; `next_cursor` is null on the last page. */
  @Get()
  async list(
    @CurrentCaller() { accountId }: Caller,
    @ValidQuery(pageQuery) query: PageQuery,
  ): Promise<{ transactions: TransactionView[]; next_cursor: string | null }> {
    const { rows, nextCursor } = await readPage(`transactions ${accountId}`, query, (after, count) =>
      readStatement(this.pool, accountId, after, count),
    );
    const { currency } = this.site;
    return { transactions: rows.map((line) => transactionView(line, currency)), next_cursor: nextCursor };
  }
}
