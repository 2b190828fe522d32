import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import {
  inTransaction,
  isDatabaseUnavailable,
  NotificationChannel,
  SQL_POOL,
  type SqlPool,
} from '@inference/database';
import { invoiceSnapshot } from '../../documents/document-snapshot';
import { INVOICES_CONFIG, type InvoicesConfig } from '../invoices.config';
import { HttpInvoiceIssuer } from './http-invoice-issuer';
import { type InvoiceIssuer, ISSUER_TIMEOUT_MILLIS, type IssuerResult } from './invoice-issuer';
import {
  claimTaxFileRequests,
  type ClaimedTaxFileRequest,
  postponeTaxFileRequest,
  markTaxFileRefused,
  storeTaxFile,
} from './invoice-requests';

/** Chosen: a notification starts the work at once; polling finds retries that are due. */
const POLL_MILLIS = 5_000;
/** Concurrent requests to the issuer. */
const BATCH = 5;
/** Longer than a request takes, so that two hosts request one file only if one of them has died. */
const LEASE_SECONDS = (ISSUER_TIMEOUT_MILLIS / 1000) * 3;

/**
 * Fetches the tax authority's files from the issuer; without an issuer it does nothing. The replicas share the requests by
 * leases, so no row is locked during a request.
 */
@Injectable()
export class InvoiceFetcher implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly logger = new Logger(InvoiceFetcher.name);
  private readonly issuer: InvoiceIssuer | null;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private woken = false;
  private stopping = false;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(INVOICES_CONFIG) { issuer }: InvoicesConfig,
    channel: NotificationChannel,
  ) {
    this.issuer = issuer && new HttpInvoiceIssuer(issuer);
    if (!issuer) return;
    channel.on('invoice_requests', () => this.wake());
    channel.onReconnect(() => this.wake());
  }

  onApplicationBootstrap(): void {
    if (!this.issuer) return;
    this.timer = setInterval(() => this.wake(), POLL_MILLIS);
    this.wake();
  }

  /** Must return at once: Nest calls it module by module, and all are to stop at the same time. */
  onModuleDestroy(): void {
    this.stopping = true;
    clearInterval(this.timer);
  }

  /** Resolves when the requests under way have ended. */
  async onApplicationShutdown(): Promise<void> {
    await this.running;
  }

  private wake(): void {
    if (!this.issuer) return;
    this.woken = true;
    this.running ??= this.fetchAll(this.issuer).finally(() => (this.running = undefined));
  }

  /** Works until no request is due. */
  private async fetchAll(issuer: InvoiceIssuer): Promise<void> {
    try {
      while (!this.stopping) {
        this.woken = false;
        const requests = await claimTaxFileRequests(this.pool, BATCH, LEASE_SECONDS);
        await Promise.all(
          requests.map((request) =>
            this.fetch(issuer, request).catch((error: unknown) => this.report(error)),
          ),
        );
        if (requests.length === 0 && !this.woken) return;
      }
    } catch (error) {
      this.report(error);
    }
  }

  private async fetch(issuer: InvoiceIssuer, request: ClaimedTaxFileRequest): Promise<void> {
    const answer = await this.requestTaxFile(issuer, request);
    const { number } = request;
    if (answer.status === 'issued') {
      await inTransaction(this.pool, (client) => storeTaxFile(client, request, answer.file));
    } else if (answer.status === 'refused') {
      await markTaxFileRefused(this.pool, request, answer.reason);
      this.logger.error(`The issuer refuses the invoice ${number}: ${answer.reason}`);
    } else {
      await postponeTaxFileRequest(this.pool, request, answer.reason);
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

  /** An unavailable database is reported by the health probe. */
  private report(error: unknown): void {
    if (!isDatabaseUnavailable(error)) this.logger.error(error);
  }
}

/** The cause behind fetch's generic error. Never contains data of an invoice. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as Error;
  const { code, name } = cause as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : name;
}
