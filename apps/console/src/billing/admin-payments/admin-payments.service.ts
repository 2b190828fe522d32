import { Injectable, NotFoundException } from '@nestjs/common';
import { Database } from '@inference/database';
import { readPage } from '@inference/http';
import { rangeTexts } from '../../validation/time-range.dto';
import { findDocumentNumber } from '../documents/documents.repository';
import { paymentView } from '../payments/payments.dto';
import { findPayment, listPaymentsOfAll, type PaymentFilter } from '../payments/payments.repository';
import { listRefunds } from '../payments/refunds.repository';
import { refundView } from '../refunds/refunds.dto';
import {
  type AdminPaymentResponse,
  type AdminPaymentsQuery,
  type AllPaymentsResponse,
} from './admin-payments.dto';

@Injectable()
export class AdminPaymentsService {
  constructor(private readonly database: Database) {}

  /** A page of the payments that match the query, newest first. Throws 400 for an impossible period or a bad cursor. */
  async list(query: AdminPaymentsQuery): Promise<AllPaymentsResponse> {
    const filter = filterOf(query);
    const { rows, nextCursor } = await readPage(
      `all payments ${JSON.stringify(filter)}`,
      query,
      (after, count) => listPaymentsOfAll(this.database, filter, after, count),
    );
    const refunds = await listRefunds(
      this.database,
      rows.map(({ id }) => id),
    );
    const refundsOf = (id: string) => refunds.filter(({ paymentId }) => paymentId === id);
    return {
      payments: rows.map((row) => ({ ...paymentView(row, refundsOf(row.id)), account_id: row.accountId })),
      next_cursor: nextCursor,
    };
  }

  /** A payment of any account. Throws 404 for an unknown payment. */
  async read(id: string): Promise<AdminPaymentResponse> {
    const payment = await findPayment(this.database, id);
    if (!payment) throw new NotFoundException('no such payment');
    const refunds = await listRefunds(this.database, [id]);
    return {
      ...paymentView(payment, refunds),
      account_id: payment.accountId,
      document_number: await findDocumentNumber(this.database, id),
      refunds: refunds.map((refund) => refundView(refund, payment.currency)),
    };
  }
}

function filterOf(query: AdminPaymentsQuery): PaymentFilter {
  const { account_id: accountId, status, provider } = query;
  return { accountId, status, provider, ...rangeTexts(query) };
}
