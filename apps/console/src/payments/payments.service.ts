import {
  BadRequestException,
  ConflictException,
  Inject,
  Injectable,
  Logger,
  ServiceUnavailableException,
} from '@nestjs/common';
import { CURRENCY_BY_SITE } from '@inference/config';
import { inTransaction, newId, type Sql, SQL_POOL, type SqlPool } from '@inference/database';
import { RetryLaterException } from '@inference/http';
import { picosToDecimal } from '@inference/money';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { claimKey, forgetKey, type IdempotentRequest, keepAnswer } from '../idempotency/idempotent';
import {
  type PaymentProvider,
  ProviderRefusal,
  ProviderUnavailable,
} from '../payment-providers/payment-provider';
import { PaymentProviders } from '../payment-providers/payment-providers';
import { orderOf } from './order';
import { findPayment, type Payment, PAYMENT_COLUMNS } from './payment';
import { FIRST_CHECK_SECONDS, lastCheckSeconds } from './check-times';
import { minorToPicos, type NewPayment, type PaymentView, paymentView } from './payments.dto';

const INSERT = `
  INSERT INTO billing.payments
    (id, account_id, provider, amount_minor, currency, return_url, expires_at, next_check_at)
  VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(secs => $7),
    clock_timestamp() + make_interval(secs => $8))
  RETURNING ${PAYMENT_COLUMNS}`;
/** The first answer of the provider stays: both of two requests that ask it at once show the same. */
const OPENED = `
  UPDATE billing.payments
  SET provider_order_id = coalesce(provider_order_id, $2), checkout_type = coalesce(checkout_type, $3),
    checkout_url = coalesce(checkout_url, $4)
  WHERE id = $1 RETURNING ${PAYMENT_COLUMNS}`;
const REFUSED = `
  UPDATE billing.payments
  SET status = 'failed', ended_at = clock_timestamp(), failure = $2,
    next_check_at = clock_timestamp() + make_interval(secs => $3)
  WHERE id = $1 AND status = 'pending' AND checkout_url IS NULL`;
/** Each is asked about until it ends: nobody may keep the providers, and so everybody else, busy. */
const MAX_PENDING = 1_000;
const PENDING_RETRY_SECONDS = 60;
const COUNT_PENDING = `
  SELECT count(*) AS pending FROM billing.payments WHERE account_id = $1 AND status = 'pending'`;

@Injectable()
export class PaymentsService {
  private readonly logger = new Logger(PaymentsService.name);

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
    private readonly providers: PaymentProviders,
  ) {}

  /**
   * The payment is there before the provider hears of it, so that whatever the provider says later finds it. A request
   * that broke off in between goes on when it comes again under its idempotency key.
   */
  async create(accountId: string, order: NewPayment, key: string | null): Promise<PaymentView> {
    this.checkAmount(order.amount);
    const provider = this.providers.find(order.provider);
    if (!provider) throw new ConflictException(`the provider ${order.provider} is not enabled here`);
    const request: IdempotentRequest = { accountId, operation: 'payment', key, content: order };
    const begun = await inTransaction(this.pool, (client) => this.begin(client, accountId, order, request));
    if ('answer' in begun) return begun.answer;
    const { payment } = begun;
    const isUnopened = payment.status === 'pending' && payment.checkoutUrl === null;
    const opened = isUnopened ? await this.open(payment, provider, request) : payment;
    return keepAnswer(this.pool, request, paymentView(opened));
  }

  private checkAmount(amountMinor: bigint): void {
    const { min, max } = this.config.topup;
    const picos = minorToPicos(amountMinor);
    if (picos < min || picos > max)
      throw new BadRequestException(
        `amount: must be between ${picosToDecimal(min)} and ${picosToDecimal(max)} ${CURRENCY_BY_SITE[this.config.SITE]}`,
      );
  }

  private async begin(
    sql: Sql,
    accountId: string,
    order: NewPayment,
    request: IdempotentRequest,
  ): Promise<{ payment: Payment } | { answer: PaymentView }> {
    const id = newId('pay');
    const earlier = await claimKey(sql, request, id);
    if (earlier?.answer) return { answer: earlier.answer as PaymentView };
    if (earlier) {
      const payment = await findPayment(sql, earlier.resourceId ?? '');
      if (!payment) throw new Error(`The payment ${earlier.resourceId} of an idempotency key is not there.`);
      return { payment };
    }
    await this.checkPending(sql, accountId);
    const { rows } = await sql.query<Payment>(INSERT, [
      id,
      accountId,
      order.provider,
      order.amount,
      CURRENCY_BY_SITE[this.config.SITE],
      order.return_url ?? null,
      this.config.payments.ttlSeconds,
      FIRST_CHECK_SECONDS,
    ]);
    return { payment: rows[0]! };
  }

  private async checkPending(sql: Sql, accountId: string): Promise<void> {
    const { rows } = await sql.query<{ pending: bigint }>(COUNT_PENDING, [accountId]);
    const limit = Math.max(1, MAX_PENDING * this.config.RATE_LIMIT_MULTIPLIER);
    if (Number(rows[0]!.pending) >= limit)
      throw new RetryLaterException('too many payments are pending', PENDING_RETRY_SECONDS);
  }

  private async open(
    payment: Payment,
    provider: PaymentProvider,
    request: IdempotentRequest,
  ): Promise<Payment> {
    try {
      const { providerOrderId, checkout } = await provider.open(orderOf(payment, this.config));
      const { rows } = await this.pool.query<Payment>(OPENED, [
        payment.id,
        providerOrderId,
        checkout.type,
        checkout.url,
      ]);
      return rows[0]!;
    } catch (error) {
      if (error instanceof ProviderRefusal) await this.giveUp(payment.id, request, error);
      else if (!(error instanceof ProviderUnavailable)) throw error;
      this.logger.error(`${payment.provider} did not open ${payment.id}: ${error.message}`);
      throw new ServiceUnavailableException('the payment provider is not available');
    }
  }

  private async giveUp(
    paymentId: string,
    request: IdempotentRequest,
    refusal: ProviderRefusal,
  ): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      await client.query(REFUSED, [paymentId, refusal.message, lastCheckSeconds(0)]);
      await forgetKey(client, request);
    });
  }
}
