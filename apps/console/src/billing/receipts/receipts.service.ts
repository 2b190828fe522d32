import { Database, type Transaction } from '@inference/database';
import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { readAccount } from '../../accounts/accounts.repository';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { DOCUMENTS_CONFIG, type DocumentsConfig } from '../billing.config';
import { paymentSnapshot, type ReceiptSnapshot, receiptSnapshot } from '../documents/document-snapshot';
import {
  findDocumentNumber,
  findOwnDocument,
  issueDocument,
  newDocumentId,
} from '../documents/documents.repository';
import { MAX_PAYER_CHARS, type Payment } from '../payments/payment.entity';
import { listRefunds } from '../payments/refunds.repository';
import { receiptHtml } from './receipt-html';

const truncate = (text: string | null) =>
  text === null || text.length <= MAX_PAYER_CHARS ? text : `${text.slice(0, MAX_PAYER_CHARS)}…`;

/** Receipts of the international site's card payments. */
@Injectable()
export class ReceiptsService {
  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    @Inject(DOCUMENTS_CONFIG) private readonly documents: DocumentsConfig,
  ) {}

  /**
   * Issues the receipt of a payment that has just become paid, as the last statement of the transaction that credits it
   * (see issueDocument). A payment that has a document keeps it.
   */
  async issue(transaction: Transaction, payment: Payment): Promise<void> {
    if ((await findDocumentNumber(transaction, payment.id)) !== null) return;
    const account = await readAccount(transaction, payment.accountId);
    if (!account) throw new Error(`The account ${payment.accountId} of a payment does not exist.`);
    const snapshot: ReceiptSnapshot = {
      ...paymentSnapshot(payment, this.documents, account.language),
      buyer: {
        email: account.email,
        payerName: truncate(payment.payerName),
        payerEmail: truncate(payment.payerEmail),
      },
    };
    const { id: paymentId, accountId } = payment;
    const document = { kind: 'receipt', paymentId, accountId, snapshot } as const;
    await issueDocument(transaction, this.site.site, newDocumentId(), document);
  }

  /** Throws 404 unless the account's payment has a receipt, and on the China site. */
  async render(accountId: string, paymentId: string): Promise<{ number: string; html: string }> {
    const { site } = this.site;
    const receipt =
      site === 'intl' ? await findOwnDocument(this.database, 'receipt', { accountId, paymentId }) : null;
    if (!receipt) throw new NotFoundException('no such receipt');
    const refunds = await listRefunds(this.database, [paymentId]);
    const snapshot = receiptSnapshot.parse(receipt.snapshot);
    return { number: receipt.number, html: receiptHtml(receipt, snapshot, site, refunds) };
  }
}
