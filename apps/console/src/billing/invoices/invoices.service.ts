import { Database, type Transaction } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import {
  BadRequestException,
  ConflictException,
  Inject,
  Injectable,
  NotFoundException,
} from '@nestjs/common';
import { queueMail } from '../../notifications/mail/outbox';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import {
  DOCUMENTS_CONFIG,
  type DocumentsConfig,
  INVOICES_CONFIG,
  type InvoicesConfig,
} from '../billing.config';
import { type InvoiceSnapshot, invoiceSnapshot, paymentSnapshot } from '../documents/document-snapshot';
import { findDocumentNumber, issueDocument, newDocumentId } from '../documents/documents.repository';
import { type IdempotentRequest, runIdempotently } from '../idempotency/idempotency-keys';
import { minorToNumber } from '../payments/minor-amount';
import { type Payment } from '../payments/payment.entity';
import { lockOwnPayment } from '../payments/payments.repository';
import { isRefunded } from '../payments/refunds.repository';
import { findOwnInvoiceFile, type InvoiceDownload } from './invoice-file';
import { type CreateInvoiceDto, type InvoiceListResponse, type InvoiceResponse } from './invoices.dto';
import { type InvoiceState, listInvoices } from './invoices.repository';
import { queueTaxFileRequest } from './issuer/invoice-requests.repository';

/** Invoices of the China site's payments. The international site issues receipts only. */
@Injectable()
export class InvoicesService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    @Inject(DOCUMENTS_CONFIG) private readonly documents: DocumentsConfig,
    @Inject(INVOICES_CONFIG) private readonly config: InvoicesConfig,
  ) {}

  /**
   * Throws 400 for a company without a tax id, 404 for a payment that is not the account's and on the international site,
   * 409 if the payment is not paid, was refunded or has an invoice.
   */
  async issue(accountId: string, input: CreateInvoiceDto, key: string | null): Promise<InvoiceResponse> {
    if (input.type === 'company' && input.tax_id === undefined)
      throw new BadRequestException('tax_id: is missing for a company');
    if (this.site.site !== 'cn') throw new NotFoundException('invoices are for the China site');
    const request: IdempotentRequest = { accountId, operation: 'invoice', key, content: input };
    return runIdempotently(this.database, request, (transaction) =>
      this.issueIn(transaction, accountId, input),
    );
  }

  private async issueIn(
    transaction: Transaction,
    accountId: string,
    input: CreateInvoiceDto,
  ): Promise<InvoiceResponse> {
    // The lock keeps a second invoice and a refund out until this transaction ends.
    const payment = await lockOwnPayment(transaction, accountId, input.payment_id);
    if (!payment) throw new NotFoundException('no such payment');
    await requireInvoiceable(transaction, payment);
    const { issuer } = this.config;
    const { type, title, tax_id: taxId = null, email: mailTo = null } = input;
    const snapshot: InvoiceSnapshot = {
      ...paymentSnapshot(payment, this.documents, 'zh-CN'),
      buyer: { type, title, taxId },
      mailTo,
    };
    const documentId = newDocumentId();
    const document = { kind: 'invoice', paymentId: payment.id, accountId, snapshot } as const;
    await queueMail(transaction, { kind: 'invoice_issued', accountId, params: { documentId } });
    const issued = await issueDocument(transaction, this.site.site, documentId, document);
    if (issuer) await queueTaxFileRequest(transaction, documentId);
    return this.view({ ...issued, status: issuer ? 'processing' : 'issued', refundedMinor: 0n }, snapshot);
  }

  /** The account's invoices, newest first. */
  async list(accountId: string, query: PageQuery): Promise<InvoiceListResponse> {
    const { rows, nextCursor } = await readPage(`invoices ${accountId}`, query, (after, count) =>
      listInvoices(this.database, accountId, after, count),
    );
    const invoices = rows.map((row) => this.view(row, invoiceSnapshot.parse(row.snapshot)));
    return { invoices, next_cursor: nextCursor };
  }

  /** Throws 404 unless the account's payment has an invoice. */
  async findFile(accountId: string, paymentId: string): Promise<InvoiceDownload> {
    const file =
      this.site.site === 'cn' ? await findOwnInvoiceFile(this.database, accountId, paymentId) : null;
    if (!file) throw new NotFoundException('no such invoice');
    return file;
  }

  private view(
    { id, number, issuedAt, status, refundedMinor }: InvoiceState,
    { buyer, mailTo, totalMinor, currency, payment }: InvoiceSnapshot,
  ): InvoiceResponse {
    return {
      id,
      number,
      payment_id: payment.id,
      type: buyer.type,
      title: buyer.title,
      tax_id: buyer.taxId,
      email: mailTo,
      amount: minorToNumber(totalMinor),
      refunded_amount: minorToNumber(refundedMinor),
      currency,
      status,
      issued_at: issuedAt.toISOString(),
      download_url: `${this.site.consoleUrl}/api/billing/invoices/${payment.id}/download`,
    };
  }
}

async function requireInvoiceable(transaction: Transaction, { id, status }: Payment): Promise<void> {
  if (status !== 'paid') throw new ConflictException(`the payment is ${status}`);
  if ((await findDocumentNumber(transaction, id)) !== null)
    throw new ConflictException('the payment has an invoice');
  if (await isRefunded(transaction, id)) throw new ConflictException('the payment was refunded');
}
