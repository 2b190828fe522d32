import {
  BadRequestException,
  ConflictException,
  Inject,
  Injectable,
  Logger,
  ServiceUnavailableException,
} from '@nestjs/common';
import { Database, newId, type Sql } from '@inference/database';
import { TooManyRequestsException } from '@inference/http';
import { picosToDecimal } from '@inference/money';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import {
  claimIdempotencyKey,
  releaseIdempotencyKey,
  type IdempotentRequest,
  storeFirstAnswer,
} from '../idempotency/idempotency-keys';
import {
  type PaymentProvider,
  ProviderRefusedError,
  ProviderUnavailableError,
} from '../payment-providers/payment-provider';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { TOP_UP_CONFIG, type TopUpConfig } from '../settings/top-up.config';
import { minorToPicos } from './minor-amount';
import { toProviderOrder } from './provider-order';
import { findPayment, type Payment, PAYMENT_COLUMNS } from './payment';
import { PAYMENTS_CONFIG, type PaymentsConfig } from './payments.config';
import { FIRST_CHECK_SECONDS, nextCheckAfterEndSeconds } from './provider-poll-schedule';
import { type CreatePaymentDto, type PaymentResponse, paymentView } from './payments.dto';

const INSERT = `
  INSERT INTO billing.payments
    (id, account_id, provider, amount_minor, currency, return_url, expires_at, next_check_at)
  VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => $7),
    clock_timestamp() + make_interval(secs => $8))
  RETURNING ${PAYMENT_COLUMNS}`;
/** Keeps the provider's first answer, so that two concurrent requests for one payment return the same checkout. */
const STORE_CHECKOUT = `
  UPDATE billing.payments
  SET provider_order_id = coalesce(provider_order_id, $2), checkout_type = coalesce(checkout_type, $3),
    checkout_url = coalesce(checkout_url, $4)
  WHERE id = $1 RETURNING ${PAYMENT_COLUMNS}`;
/** Only while no checkout is known: a payment that the payer may have seen stays pending. */
const END_REFUSED = `
  UPDATE billing.payments
  SET status = 'failed', ended_at = clock_timestamp(), failure = $2,
    next_check_at = clock_timestamp() + make_interval(secs => $3)
  WHERE id = $1 AND status = 'pending' AND checkout_url IS NULL`;
/** Retry-After of an account with too many pending payments: within a minute some of them expire or are paid. */
const PENDING_RETRY_SECONDS = 60;
const COUNT_PENDING = `
  SELECT count(*) AS pending FROM billing.payments WHERE account_id = $1 AND status = 'pending'`;

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
    const started = await this.database.transaction((client) =>
      this.insertOnce(client, accountId, input, request),
    );
    if ('answer' in started) return started.answer;
    const { payment } = started;
    const isUnopened = payment.status === 'pending' && payment.checkoutUrl === null;
    const opened = isUnopened ? await this.openAtProvider(payment, provider, request) : payment;
    return storeFirstAnswer(this.database, request, paymentView(opened, []));
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
    sql: Sql,
    accountId: string,
    input: CreatePaymentDto,
    request: IdempotentRequest,
  ): Promise<{ payment: Payment } | { answer: PaymentResponse }> {
    const id = newId('pay');
    const earlier = await claimIdempotencyKey(sql, request, id);
    if (earlier?.answer) return { answer: earlier.answer as PaymentResponse };
    if (earlier) {
      const payment = await findPayment(sql, earlier.resourceId ?? '');
      if (!payment)
        throw new Error(`The payment ${earlier.resourceId} of an idempotency key does not exist.`);
      return { payment };
    }
    await this.requireRoomForPending(sql, accountId);
    const { rows } = await sql.query<Payment>(INSERT, [
      id,
      accountId,
      input.provider,
      input.amount,
      this.site.currency,
      input.return_url ?? null,
      this.config.ttlSeconds,
      FIRST_CHECK_SECONDS,
    ]);
    return { payment: rows[0]! };
  }

  private async requireRoomForPending(sql: Sql, accountId: string): Promise<void> {
    const { rows } = await sql.query<{ pending: bigint }>(COUNT_PENDING, [accountId]);
    if (Number(rows[0]!.pending) >= this.config.maxPendingPayments)
      throw new TooManyRequestsException('too many payments are pending', PENDING_RETRY_SECONDS);
  }

  private async openAtProvider(
    payment: Payment,
    provider: PaymentProvider,
    request: IdempotentRequest,
  ): Promise<Payment> {
    try {
      const { providerOrderId, checkout } = await provider.open(toProviderOrder(payment, this.site));
      const { rows } = await this.database.query<Payment>(STORE_CHECKOUT, [
        payment.id,
        providerOrderId,
        checkout.type,
        checkout.url,
      ]);
      return rows[0]!;
    } catch (error) {
      if (error instanceof ProviderRefusedError) await this.endRefused(payment.id, request, error);
      else if (!(error instanceof ProviderUnavailableError)) throw error;
      this.logger.error(`${payment.provider} did not open ${payment.id}: ${error.message}`);
      throw new ServiceUnavailableException('the payment provider is not available');
    }
  }

  private async endRefused(
    paymentId: string,
    request: IdempotentRequest,
    refusal: ProviderRefusedError,
  ): Promise<void> {
    await this.database.transaction(async (client) => {
      await client.query(END_REFUSED, [paymentId, refusal.message, nextCheckAfterEndSeconds(0)]);
      await releaseIdempotencyKey(client, request);
    });
  }
}
