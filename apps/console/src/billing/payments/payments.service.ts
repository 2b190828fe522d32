import { Database, newId, type Transaction } from '@inference/database';
import {
  DetailedException,
  type PageQuery,
  readPage,
  RETRY_AFTER_ONE_SECOND,
  TooManyRequestsException,
} from '@inference/http';
import { picosToDecimal } from '@inference/money';
import {
  BadRequestException,
  ConflictException,
  Inject,
  Injectable,
  Logger,
  NotFoundException,
} from '@nestjs/common';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { PAYMENTS_CONFIG, type PaymentsConfig, TOP_UP_CONFIG, type TopUpConfig } from '../billing.config';
import {
  claimIdempotencyKey,
  type IdempotentRequest,
  releaseIdempotencyKey,
  storeFirstAnswer,
} from '../idempotency/idempotency-keys';
import {
  type PaymentProvider,
  ProviderRefusedError,
  ProviderUnavailableError,
} from '../payment-providers/payment-provider';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { minorToPicos } from './minor-amount';
import { type Payment } from './payment.entity';
import {
  type CreatePaymentDto,
  type PaymentListResponse,
  type PaymentResponse,
  paymentView,
} from './payments.dto';
import {
  countPendingPayments,
  endRefusedPayment,
  findOwnPayment,
  findPayment,
  insertPayment,
  listPayments,
  markPaymentSeen,
  storeCheckout,
} from './payments.repository';
import { FIRST_CHECK_SECONDS, nextCheckAfterEndSeconds, toProviderOrder } from './provider-poll-schedule';
import { listRefunds } from './refunds.repository';

/** Retry-After of an account with too many pending payments: within a minute some of them expire or are paid. */
const PENDING_RETRY_SECONDS = 60;

@Injectable()
export class PaymentsService {
  private readonly logger = new Logger(PaymentsService.name);

  constructor(
    private readonly database: Database,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
    @Inject(TOP_UP_CONFIG) private readonly topUp: TopUpConfig,
    @Inject(PAYMENTS_CONFIG) private readonly config: PaymentsConfig,
    private readonly providers: PaymentProviders,
  ) {}

  /**
   * Commits the payment before the provider is called, so that every later notification finds it. A client that repeats
   * an interrupted request with the same idempotency key continues it. Throws 400 for an amount out of bounds, another
   * currency than the site's and a return page on an origin that is not allowed, 409 for a provider that is not enabled
   * or a reused idempotency key, 429 for too many pending payments, 503 while the provider is not available.
   */
  async create(accountId: string, input: CreatePaymentDto, key: string | null): Promise<PaymentResponse> {
    this.requireAmountInBounds(input.amount);
    this.requireSiteCurrency(input.currency);
    this.requireAllowedOrigin(input.return_url);
    const provider = this.providers.find(input.provider);
    if (!provider) throw new ConflictException(`the provider ${input.provider} is not enabled here`);
    const request: IdempotentRequest = { accountId, operation: 'payment', key, content: input };
    const started = await this.database.transaction((transaction) =>
      this.insertOnce(transaction, accountId, input, request),
    );
    if ('answer' in started) return started.answer;
    const { payment } = started;
    const isUnopened = payment.status === 'pending' && payment.checkoutUrl === null;
    const opened = isUnopened ? await this.openAtProvider(payment, provider, request) : payment;
    return storeFirstAnswer(this.database, request, paymentView(opened, []));
  }

  /** A page of the account's payments with their refunds, newest first. */
  async list(accountId: string, query: PageQuery): Promise<PaymentListResponse> {
    const { rows, nextCursor } = await readPage(`payments ${accountId}`, query, (after, count) =>
      listPayments(this.database, accountId, after, count),
    );
    const refunds = await listRefunds(
      this.database,
      rows.map(({ id }) => id),
    );
    const refundsOf = (id: string) => refunds.filter(({ paymentId }) => paymentId === id);
    return { payments: rows.map((row) => paymentView(row, refundsOf(row.id))), next_cursor: nextCursor };
  }

  /** Throws 404 unless the account has the payment. */
  async read(accountId: string, id: string): Promise<PaymentResponse> {
    const payment = await findOwnPayment(this.database, accountId, id);
    if (!payment) throw new NotFoundException('no such payment');
    return paymentView(payment, await listRefunds(this.database, [id]));
  }

  /** Throws 404 unless the account has the payment, 409 if it is not paid. */
  async markSeen(accountId: string, id: string): Promise<void> {
    if (await markPaymentSeen(this.database, accountId, id)) return;
    const { status } = await this.read(accountId, id);
    throw new ConflictException(`the payment is ${status}`);
  }

  private requireAmountInBounds(amountMinor: bigint): void {
    const { minPicos, maxPicos } = this.topUp;
    const picos = minorToPicos(amountMinor);
    if (picos < minPicos || picos > maxPicos)
      throw new BadRequestException(
        `amount: must be between ${picosToDecimal(minPicos)} and ${picosToDecimal(maxPicos)} ${this.site.currency}`,
      );
  }

  private requireSiteCurrency(currency: string | undefined): void {
    if (currency !== undefined && currency !== this.site.currency)
      throw new BadRequestException(`currency: must be ${this.site.currency}`);
  }

  private requireAllowedOrigin(returnUrl: string | undefined): void {
    const { returnOrigins } = this.config;
    if (returnUrl !== undefined && !returnOrigins.includes(new URL(returnUrl).origin))
      throw new BadRequestException(`return_url: must be a page of ${returnOrigins.join(', ')}`);
  }

  /** The new payment, the one of an earlier request that was not answered, or the answer of an earlier request. */
  private async insertOnce(
    transaction: Transaction,
    accountId: string,
    input: CreatePaymentDto,
    request: IdempotentRequest,
  ): Promise<{ payment: Payment } | { answer: PaymentResponse }> {
    const id = newId('pay');
    const earlier = await claimIdempotencyKey(transaction, request, id);
    if (earlier?.answer) return { answer: earlier.answer as PaymentResponse };
    if (earlier) {
      const payment = await findPayment(transaction, earlier.resourceId ?? '');
      if (!payment)
        throw new Error(`The payment ${earlier.resourceId} of an idempotency key does not exist.`);
      return { payment };
    }
    await this.requireRoomForPending(transaction, accountId);
    const { provider, amount: amountMinor, return_url: returnUrl = null } = input;
    const payment = await insertPayment(
      transaction,
      { id, accountId, provider, amountMinor, currency: this.site.currency, returnUrl },
      { ttlSeconds: this.config.ttlSeconds, firstCheckSeconds: FIRST_CHECK_SECONDS },
    );
    return { payment };
  }

  private async requireRoomForPending(transaction: Transaction, accountId: string): Promise<void> {
    if ((await countPendingPayments(transaction, accountId)) >= this.config.maxPendingPayments)
      throw new TooManyRequestsException('too many payments are pending', PENDING_RETRY_SECONDS);
  }

  private async openAtProvider(
    payment: Payment,
    provider: PaymentProvider,
    request: IdempotentRequest,
  ): Promise<Payment> {
    try {
      const opened = await provider.open(toProviderOrder(payment, this.site));
      return await storeCheckout(this.database, payment.id, opened);
    } catch (error) {
      if (error instanceof ProviderRefusedError) await this.endRefused(payment.id, request, error);
      else if (!(error instanceof ProviderUnavailableError)) throw error;
      this.logger.error(`${payment.provider} did not open ${payment.id}: ${error.message}`);
      throw new DetailedException(503, 'the payment provider is not available', {}, RETRY_AFTER_ONE_SECOND);
    }
  }

  private async endRefused(
    paymentId: string,
    request: IdempotentRequest,
    refusal: ProviderRefusedError,
  ): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await endRefusedPayment(transaction, paymentId, refusal.message, nextCheckAfterEndSeconds(0));
      await releaseIdempotencyKey(transaction, request);
    });
  }
}
