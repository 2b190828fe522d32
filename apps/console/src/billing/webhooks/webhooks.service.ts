import { Database, isDatabaseUnavailable } from '@inference/database';
import { Injectable, Logger } from '@nestjs/common';
import {
  type Acknowledgement,
  InvalidNotificationError,
  type PaymentProvider,
  type ProviderNotification,
  ProviderUnavailableError,
  type RawNotification,
} from '../payment-providers/payment-provider';
import { requestRefundCheck } from '../payments/refunds.repository';
import {
  PaymentMismatchError,
  PaymentSettlement,
  UnknownPaymentError,
} from '../settlement/payment-settlement';

@Injectable()
export class WebhooksService {
  private readonly logger = new Logger(WebhooksService.name);

  constructor(
    private readonly database: Database,
    private readonly settlement: PaymentSettlement,
  ) {}

  /** Acknowledges a notification only after its effects are committed; otherwise the provider sends it again. */
  async receive(provider: PaymentProvider, raw: RawNotification): Promise<Acknowledgement> {
    try {
      await this.apply(provider, await provider.verify(raw));
      return provider.acknowledge();
    } catch (error) {
      const { status, message } = this.rejectionOf(provider.name, error);
      return provider.reject(status, message);
    }
  }

  private async apply({ name }: PaymentProvider, notification: ProviderNotification): Promise<void> {
    if (notification.about === 'payment')
      await this.settlement.settle(name, notification.paymentId, notification.state);
    else if (notification.about === 'refund') await requestRefundCheck(this.database, notification.refundId);
  }

  /** Status and message for the provider; the log gets the details. */
  private rejectionOf(provider: string, error: unknown): { status: number; message: string } {
    if (error instanceof InvalidNotificationError) {
      this.logger.warn(`A notification of ${provider} is refused (${error.reason}): ${error.message}`);
      return { status: 400, message: error.message };
    }
    if (error instanceof UnknownPaymentError) {
      this.logger.warn(`A notification of ${provider} is refused: ${error.message}`);
      return { status: 404, message: 'no such payment' };
    }
    if (error instanceof PaymentMismatchError) {
      this.logger.error(`A notification of ${provider} is refused: ${error.message}`);
      return { status: 409, message: 'amount, currency or transaction does not match the payment' };
    }
    if (isDatabaseUnavailable(error)) return { status: 503, message: 'database unavailable' };
    if (error instanceof ProviderUnavailableError) {
      this.logger.warn(`A notification of ${provider} could not be verified: ${error.message}`);
      return { status: 503, message: 'the notification cannot be verified now; send it again' };
    }
    this.logger.error(error);
    return { status: 500, message: 'internal server error' };
  }
}
