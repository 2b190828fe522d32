import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import {
  inTransaction,
  isDatabaseUnavailable,
  NotificationChannel,
  SQL_POOL,
  type SqlPool,
} from '@inference/database';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { invoiceSnapshot } from '../documents/snapshot';
import { HttpInvoiceIssuer } from './http-invoice-issuer';
import { type InvoiceIssuer, ISSUER_LIMIT_MILLIS, type IssuerAnswer } from './invoice-issuer';
import {
  claimRequests,
  type ClaimedRequest,
  postponeRequest,
  refuseRequest,
  storeTaxFile,
} from './invoice-requests';

const POLL_MILLIS = 5_000;
/** Asked for at once. */
const BATCH = 5;
/** Longer than asking takes, so that two hosts ask about one invoice only if one of them has died. */
const LEASE_SECONDS = (ISSUER_LIMIT_MILLIS / 1000) * 3;

/**
 * Fetches the tax authority's files from the issuer, together with the fetchers of the other consoles; without an
 * issuer it does nothing. Nothing is locked while the issuer is asked.
 */
@Injectable()
export class InvoiceFetcher implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(InvoiceFetcher.name);
  private readonly issuer: InvoiceIssuer | null;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private woken = false;
  private stopping = false;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) config: ConsoleConfig,
    channel: NotificationChannel,
  ) {
    const { issuer } = config.documents;
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

  /** Resolves when what is under way has been dealt with. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    await this.running;
  }

  private wake(): void {
    if (!this.issuer) return;
    this.woken = true;
    this.running ??= this.fetchAll(this.issuer).finally(() => (this.running = undefined));
  }

  /** Until nothing is due. */
  private async fetchAll(issuer: InvoiceIssuer): Promise<void> {
    try {
      while (!this.stopping) {
        this.woken = false;
        const requests = await claimRequests(this.pool, BATCH, LEASE_SECONDS);
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

  private async fetch(issuer: InvoiceIssuer, request: ClaimedRequest): Promise<void> {
    const answer = await this.ask(issuer, request);
    const { number } = request;
    if (answer.status === 'issued') {
      await inTransaction(this.pool, (client) => storeTaxFile(client, request, answer.file));
    } else if (answer.status === 'refused') {
      await refuseRequest(this.pool, request, answer.reason);
      this.logger.error(`The issuer refuses the invoice ${number}: ${answer.reason}`);
    } else {
      await postponeRequest(this.pool, request, answer.reason);
      if (answer.reason !== null)
        this.logger.warn(`No file of the invoice ${number} at attempt ${request.attempts}: ${answer.reason}`);
    }
  }

  private async ask(issuer: InvoiceIssuer, { snapshot, ...issued }: ClaimedRequest): Promise<IssuerAnswer> {
    try {
      return await issuer.ask({ ...issued, snapshot: invoiceSnapshot.parse(snapshot) });
    } catch (error) {
      return { status: 'later', reason: reasonOf(error) };
    }
  }

  /** A database that is away is told of by the health probe. */
  private report(error: unknown): void {
    if (!isDatabaseUnavailable(error)) this.logger.error(error);
  }
}

/** What the connection died of, where fetch says no more than that it failed; never what an invoice says. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as Error;
  const { code, name } = cause as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : name;
}
