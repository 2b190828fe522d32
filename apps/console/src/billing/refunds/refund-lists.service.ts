import { Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { listRefundsNewestFirst } from '../payments/refunds.repository';
import {
  type AdminRefundsQuery,
  type AllRefundsResponse,
  listedRefundView,
  ownRefundView,
  type RefundListResponse,
} from './refunds.dto';

@Injectable()
export class RefundListsService {
  constructor(private readonly database: Database) {}

  /** A page of the refunds of the account's payments, newest first. Throws 400 for a bad cursor. */
  async list(accountId: string, query: PageQuery): Promise<RefundListResponse> {
    const { rows, nextCursor } = await readPage(`refunds ${accountId}`, query, (after, count) =>
      listRefundsNewestFirst(this.database, { accountId }, after, count),
    );
    return { refunds: rows.map(ownRefundView), next_cursor: nextCursor };
  }

  /** A page of the refunds of all accounts that match the query, newest first. Throws 400 for a bad cursor. */
  async listOfAll(query: AdminRefundsQuery): Promise<AllRefundsResponse> {
    const filter = { accountId: query.account_id, status: query.status };
    const { rows, nextCursor } = await readPage(
      `all refunds ${JSON.stringify(filter)}`,
      query,
      (after, count) => listRefundsNewestFirst(this.database, filter, after, count),
    );
    return { refunds: rows.map(listedRefundView), next_cursor: nextCursor };
  }
}
