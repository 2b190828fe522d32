import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { Database } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { readMovements, readWallet } from '@inference/wallet';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { readOrigins } from './transaction-origin';
import { type TransactionListResponse, transactionView } from './transactions.dto';

@Injectable()
export class TransactionsService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /** A page of the wallet's transactions, newest first. */
  async list(accountId: string, query: PageQuery): Promise<TransactionListResponse> {
    const { rows, nextCursor } = await readPage(`transactions ${accountId}`, query, (after, count) =>
      readMovements(this.database, accountId, after, count),
    );
    const { currency } = this.site;
    const origins = await readOrigins(this.database, rows);
    const transactions = rows.map((line, index) => transactionView(line, currency, origins[index]!));
    return { transactions, next_cursor: nextCursor };
  }

  /** What `list` returns, for an admin. Throws 404 for an unknown account. */
  async listOfAccount(accountId: string, query: PageQuery): Promise<TransactionListResponse> {
    if (!(await readWallet(this.database, accountId))) throw new NotFoundException('no such account');
    return this.list(accountId, query);
  }
}
