import {
  BadRequestException,
  ConflictException,
  Inject,
  Injectable,
  NotFoundException,
} from '@nestjs/common';
import { Database, type Sql } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { paymentSnapshot } from '../documents/payment-snapshot';
import { findDocumentNumber, type IssuedDocument, issueDocument, newDocumentId } from '../documents/document';
import { type InvoiceSnapshot, invoiceSnapshot } from '../documents/document-snapshot';
import { DOCUMENTS_CONFIG, type DocumentsConfig } from '../documents/documents.config';
import { runIdempotently } from '../idempotency/idempotency-keys';
import { queueMail } from '../../notifications/mail/outbox';
import { minorToNumber } from '../payments/minor-amount';
import { lockOwnPayment, type Payment } from '../payments/payment';
import { isRefunded } from '../payments/refund';
import { findOwnInvoiceFile, type InvoiceFile } from './invoice-file';
import { INVOICES_CONFIG, type InvoicesConfig } from './invoices.config';
import { queueTaxFileRequest } from './issuer/invoice-requests';
import {
  type CreateInvoiceDto,
  type InvoiceListResponse,
  type InvoiceResponse,
  type InvoiceStatus,
} from './invoices.dto';

const LIST = `
  SELECT d.id, d.number, d.issued_at AS "issuedAt", d.snapshot,
    to_char(d.issued_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at,
    CASE WHEN f.document_id IS NOT NULL THEN 'official' WHEN r.refused_at IS NOT NULL THEN 'refused'
      WHEN r.document_id IS NOT NULL THEN 'processing' ELSE 'issued' END AS status,
    (SELECT coalesce(sum(amount_minor), 0)::bigint FROM billing.refunds
     WHERE payment_id = d.payment_id AND status = 'succeeded') AS "refundedMinor"
  FROM billing.documents d
  LEFT JOIN billing.invoice_files f ON f.document_id = d.id
  LEFT JOIN billing.invoice_requests r ON r.document_id = d.id
  WHERE d.account_id = $1 AND d.kind = 'invoice'
    AND ($2::timestamptz IS NULL OR (d.issued_at, d.id) < ($2, $3))
  ORDER BY d.issued_at DESC, d.id DESC LIMIT $4`;

interface InvoiceState extends IssuedDocument {
  status: InvoiceStatus;
  /** In hundredths of the currency. */
  refundedMinor: bigint;
}

interface ListedInvoice extends InvoiceState {
  snapshot: unknown;
  at: string;
}

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
    return runIdempotently(this.database, { accountId, operation: 'invoice', key, content: input }, (sql) =>
      this.issueIn(sql, accountId, input),
    );
  }

  private async issueIn(sql: Sql, accountId: string, input: CreateInvoiceDto): Promise<InvoiceResponse> {
    // The lock keeps a second invoice and a refund out until this transaction ends.
    const payment = await lockOwnPayment(sql, accountId, input.payment_id);
    if (!payment) throw new NotFoundException('no such payment');
    await requireInvoiceable(sql, payment);
    const { issuer } = this.config;
    const { type, title, tax_id: taxId = null, email: mailTo = null } = input;
    const snapshot: InvoiceSnapshot = {
      ...paymentSnapshot(payment, this.documents, 'zh-CN'),
      buyer: { type, title, taxId },
      mailTo,
    };
    const documentId = newDocumentId();
    const document = { kind: 'invoice', paymentId: payment.id, accountId, snapshot } as const;
    await queueMail(sql, { kind: 'invoice_issued', accountId, params: { documentId } });
    const issued = await issueDocument(sql, this.site.site, documentId, document);
    if (issuer) await queueTaxFileRequest(sql, documentId);
    return this.view({ ...issued, status: issuer ? 'processing' : 'issued', refundedMinor: 0n }, snapshot);
  }

  /** The account's invoices, newest first. */
  async list(accountId: string, query: PageQuery): Promise<InvoiceListResponse> {
    const { rows, nextCursor } = await readPage(`invoices ${accountId}`, query, async (after, count) => {
      const page = [accountId, after?.at ?? null, after?.id ?? null, count];
      const found = await this.database.query<ListedInvoice>(LIST, page);
      return found.rows.map((row) => ({ ...row, position: { at: row.at, id: row.id } }));
    });
    const invoices = rows.map((row) => this.view(row, invoiceSnapshot.parse(row.snapshot)));
    return { invoices, next_cursor: nextCursor };
  }

  /** Throws 404 unless the account's payment has an invoice. */
  async findFile(accountId: string, paymentId: string): Promise<InvoiceFile> {
    const findFile =
      this.site.site === 'cn' ? await findOwnInvoiceFile(this.database, accountId, paymentId) : null;
    if (!findFile) throw new NotFoundException('no such invoice');
    return findFile;
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

async function requireInvoiceable(sql: Sql, { id, status }: Payment): Promise<void> {
  if (status !== 'paid') throw new ConflictException(`the payment is ${status}`);
  if ((await findDocumentNumber(sql, id)) !== null) throw new ConflictException('the payment has an invoice');
  if (await isRefunded(sql, id)) throw new ConflictException('the payment was refunded');
}
