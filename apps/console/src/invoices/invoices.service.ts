import { ConflictException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { type Sql, SQL_POOL, type SqlPool } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { charged } from '../documents/charged';
import { documentNumber, type Issued, issueDocument, newDocumentId } from '../documents/document';
import { type InvoiceSnapshot, invoiceSnapshot } from '../documents/snapshot';
import { once } from '../idempotency/idempotent';
import { queueMail } from '../mail/outbox';
import { type Payment, PAYMENT_COLUMNS } from '../payments/payment';
import { minorAmount } from '../payments/payments.dto';
import { findOwnInvoiceFile, type InvoiceFile } from './invoice-file';
import { requestFile } from './invoice-requests';
import { type InvoiceStatus, type InvoiceView, type NewInvoice } from './invoices.dto';

/** Until it has its invoice nobody else issues one for it, nor refunds it. */
const LOCK_PAYMENT = `
  SELECT ${PAYMENT_COLUMNS} FROM billing.payments WHERE id = $1 AND account_id = $2 FOR UPDATE`;
const IS_REFUNDED = "SELECT FROM billing.refunds WHERE payment_id = $1 AND status <> 'failed'";
const LIST = `
  SELECT d.id, d.number, d.issued_at AS "issuedAt", d.snapshot,
    to_char(d.issued_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at,
    CASE WHEN f.document_id IS NOT NULL THEN 'official' WHEN r.refused_at IS NOT NULL THEN 'refused'
      WHEN r.document_id IS NOT NULL THEN 'processing' ELSE 'issued' END AS status
  FROM billing.documents d
  LEFT JOIN billing.invoice_files f ON f.document_id = d.id
  LEFT JOIN billing.invoice_requests r ON r.document_id = d.id
  WHERE d.account_id = $1 AND d.kind = 'invoice'
    AND ($2::timestamptz IS NULL OR (d.issued_at, d.id) < ($2, $3))
  ORDER BY d.issued_at DESC, d.id DESC LIMIT $4`;

interface ListedInvoice extends Issued {
  snapshot: unknown;
  at: string;
  status: InvoiceStatus;
}

/** Invoices of the China site's payments; the other site has none. */
@Injectable()
export class InvoicesService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  /** Throws NotFoundException for a payment unknown to the account, ConflictException when it can have no invoice. */
  async issue(accountId: string, order: NewInvoice, key: string | null): Promise<InvoiceView> {
    if (this.config.SITE !== 'cn') throw new NotFoundException('invoices are for the China site');
    return once(this.pool, { accountId, operation: 'invoice', key, content: order }, (sql) =>
      this.issueIn(sql, accountId, order),
    );
  }

  private async issueIn(sql: Sql, accountId: string, order: NewInvoice): Promise<InvoiceView> {
    const payment = (await sql.query<Payment>(LOCK_PAYMENT, [order.payment_id, accountId])).rows[0];
    if (!payment) throw new NotFoundException('no such payment');
    await requireInvoiceable(sql, payment);
    const { SITE, documents } = this.config;
    const { type, title, tax_id: taxId = null, email: mailTo = null } = order;
    const snapshot: InvoiceSnapshot = {
      ...charged(payment, documents, 'zh-CN'),
      buyer: { type, title, taxId },
      mailTo,
    };
    const documentId = newDocumentId();
    const document = { kind: 'invoice', paymentId: payment.id, accountId, snapshot } as const;
    await queueMail(sql, { kind: 'invoice_issued', accountId, params: { documentId } });
    const issued = await issueDocument(sql, SITE, documentId, document);
    if (documents.issuer) await requestFile(sql, documentId);
    return this.view(issued, snapshot, documents.issuer ? 'processing' : 'issued');
  }

  /** The account's invoices, newest first. */
  async list(
    accountId: string,
    query: PageQuery,
  ): Promise<{ invoices: InvoiceView[]; next_cursor: string | null }> {
    const { rows, nextCursor } = await readPage(`invoices ${accountId}`, query, async (after, count) => {
      const page = [accountId, after?.at ?? null, after?.id ?? null, count];
      const found = await this.pool.query<ListedInvoice>(LIST, page);
      return found.rows.map((row) => ({ ...row, position: { at: row.at, id: row.id } }));
    });
    const invoices = rows.map((row) => this.view(row, invoiceSnapshot.parse(row.snapshot), row.status));
    return { invoices, next_cursor: nextCursor };
  }

  /** Throws NotFoundException unless the account's payment has an invoice. */
  async file(accountId: string, paymentId: string): Promise<InvoiceFile> {
    const file = this.config.SITE === 'cn' ? await findOwnInvoiceFile(this.pool, accountId, paymentId) : null;
    if (!file) throw new NotFoundException('no such invoice');
    return file;
  }

  private view(
    { id, number, issuedAt }: Issued,
    { buyer, mailTo, totalMinor, currency, payment }: InvoiceSnapshot,
    status: InvoiceStatus,
  ): InvoiceView {
    return {
      id,
      number,
      payment_id: payment.id,
      type: buyer.type,
      title: buyer.title,
      tax_id: buyer.taxId,
      email: mailTo,
      amount: minorAmount(totalMinor),
      currency,
      status,
      issued_at: issuedAt.toISOString(),
      download_url: `${this.config.CONSOLE_URL}/api/billing/invoices/${payment.id}/download`,
    };
  }
}

async function requireInvoiceable(sql: Sql, { id, status }: Payment): Promise<void> {
  if (status !== 'paid') throw new ConflictException(`the payment is ${status}`);
  if ((await documentNumber(sql, id)) !== null) throw new ConflictException('the payment has an invoice');
  if ((await sql.query(IS_REFUNDED, [id])).rowCount !== 0)
    throw new ConflictException('the payment was refunded');
}
