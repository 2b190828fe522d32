import { Inject, Injectable, Logger } from '@nestjs/common';
import { isDatabaseUnavailable, SQL_POOL, type SqlPool } from '@inference/database';
import {
  type Acknowledgement,
  type Notification,
  NotificationRefusal,
  type PaymentProvider,
  ProviderUnavailable,
  type RawNotification,
} from '../payment-providers/payment-provider';
import { PaymentMismatch, UnknownPayment } from './payment-errors';
import { PaymentSettlement } from './payment-settlement';

/**
 * Something happened to a refund at the provider: whoever looks after refunds asks what. Of one that failed nothing is
 * asked: to ask is to order it where the provider does not know it.
 */
const CHECK_REFUND = `
  UPDATE billing.refunds SET next_check_at = clock_timestamp() WHERE id = $1 AND status <> 'failed'`;

@Injectable()
export class WebhooksService {
  private readonly logger = new Logger(WebhooksService.name);

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    private readonly settlement: PaymentSettlement,
  ) {}

  /** Acknowledged only when whatever follows from it is committed. */
  async receive(provider: PaymentProvider, raw: RawNotification): Promise<Acknowledgement> {
    try {
      await this.apply(provider, await provider.verify(raw));
      return provider.acknowledge();
    } catch (error) {
      const { status, message } = this.explain(provider.name, error);
      return provider.decline(status, message);
    }
  }

  private async apply({ name }: PaymentProvider, notification: Notification): Promise<void> {
    if (notification.about === 'payment')
      await this.settlement.apply(name, notification.paymentId, notification.state);
    else if (notification.about === 'refund') await this.pool.query(CHECK_REFUND, [notification.refundId]);
  }

  private explain(provider: string, error: unknown): { status: number; message: string } {
    if (error instanceof NotificationRefusal) {
      this.logger.warn(`A notification of ${provider} is refused (${error.fault}): ${error.message}`);
      return { status: 400, message: error.message };
    }
    if (error instanceof UnknownPayment) {
      this.logger.warn(`A notification of ${provider} is refused: ${error.message}`);
      return { status: 404, message: 'no such payment' };
    }
    if (error instanceof PaymentMismatch) {
      this.logger.error(`A notification of ${provider} is refused: ${error.message}`);
      return { status: 409, message: 'this is not what the payment is' };
    }
    if (isDatabaseUnavailable(error)) return { status: 503, message: 'database unavailable' };
    if (error instanceof ProviderUnavailable) {
      this.logger.warn(`A notification of ${provider} could not be looked at: ${error.message}`);
      return { status: 503, message: 'not now' };
    }
    this.logger.error(error);
    return { status: 500, message: 'internal server error' };
  }
}
