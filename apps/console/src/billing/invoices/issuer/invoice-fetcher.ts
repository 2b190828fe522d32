import { Database, type Transaction } from '@inference/database';
import { BackgroundJobs } from '@inference/jobs';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { queueMail } from '../../../notifications/mail/outbox';
import { INVOICES_CONFIG, type InvoicesConfig } from '../../billing.config';
import { invoiceSnapshot } from '../../documents/document-snapshot';
import { invoiceFileName } from '../invoice-file';
import { HttpInvoiceIssuer } from './http-invoice-issuer';
import { type InvoiceIssuer, ISSUER_TIMEOUT_MILLIS, type IssuerResult, type TaxFile } from './invoice-issuer';
import {
  type ClaimedTaxFileRequest,
  claimTaxFileRequest,
  finishTaxFileRequest,
  insertTaxFile,
  markTaxFileRefused,
  postponeTaxFileRequest,
} from './invoice-requests.repository';

/** The task of each request (migration 0017). */
const FETCH_TAX_FILE = 'fetch-tax-file';

/** Concurrent requests to the issuer. */
const CONCURRENCY = 5;
/** Longer than a request takes, so that two replicas request one file only if one of them has died. */
const CLAIM_SECONDS = (ISSUER_TIMEOUT_MILLIS / 1000) * 3;

/**
 * Fetches the tax authority's files from the issuer; without an issuer it does nothing. The replicas share the requests by
 * claims, so no row is locked during a request.
 */
@Injectable()
export class InvoiceFetcher {
  private readonly logger = new Logger(InvoiceFetcher.name);

  constructor(
    private readonly database: Database,
    @Inject(INVOICES_CONFIG) { issuer: config }: InvoicesConfig,
    jobs: BackgroundJobs,
  ) {
    if (!config) return;
    const issuer = new HttpInvoiceIssuer(config);
    jobs.processRows({ [FETCH_TAX_FILE]: (documentId) => this.fetch(issuer, documentId) }, CONCURRENCY);
  }

  private async fetch(issuer: InvoiceIssuer, documentId: string): Promise<void> {
    const request = await claimTaxFileRequest(this.database, documentId, CLAIM_SECONDS);
    if (!request) return;
    const answer = await this.requestTaxFile(issuer, request);
    const { number } = request;
    if (answer.status === 'issued') {
      await this.database.transaction((transaction) => storeTaxFile(transaction, request, answer.file));
    } else if (answer.status === 'refused') {
      await markTaxFileRefused(this.database, request, answer.reason);
      this.logger.error(`The issuer refuses the invoice ${number}: ${answer.reason}`);
    } else {
      await postponeTaxFileRequest(this.database, request, answer.reason);
      if (answer.reason !== null)
        this.logger.warn(`No file of the invoice ${number} at attempt ${request.attempts}: ${answer.reason}`);
    }
  }

  private async requestTaxFile(
    issuer: InvoiceIssuer,
    { snapshot, ...issued }: ClaimedTaxFileRequest,
  ): Promise<IssuerResult> {
    try {
      return await issuer.requestTaxFile({ ...issued, snapshot: invoiceSnapshot.parse(snapshot) });
    } catch (error) {
      return { status: 'later', reason: reasonOf(error) };
    }
  }
}

/** Stores the tax file and queues its mail. The first file of an invoice stays. */
async function storeTaxFile(
  transaction: Transaction,
  { id: documentId, number, accountId }: ClaimedTaxFileRequest,
  { contentType, extension, bytes }: TaxFile,
): Promise<void> {
  const fileName = invoiceFileName(number, extension);
  const isFirst = await insertTaxFile(transaction, { documentId, contentType, fileName, bytes });
  await finishTaxFileRequest(transaction, documentId);
  if (isFirst) await queueMail(transaction, { kind: 'invoice_issued', accountId, params: { documentId } });
}

/** The cause behind fetch's generic error. Never contains data of an invoice. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as Error;
  const { code, name } = cause as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : name;
}
