import { Injectable, NotFoundException } from '@nestjs/common';
import { Database } from '@inference/database';
import { findDocumentNumber } from '../documents/documents.repository';
import { paymentView } from '../payments/payments.dto';
import { findPayment } from '../payments/payments.repository';
import { listRefunds } from '../payments/refunds.repository';
import { refundView } from '../refunds/refunds.dto';
import { type AdminPaymentResponse } from './admin-payments.dto';

@Injectable()
export class AdminPaymentsService {
  constructor(private readonly database: Database) {}

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
