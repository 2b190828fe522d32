import { Database, isDatabaseUnavailable } from '@inference/database';
import { Injectable, Logger } from '@nestjs/common';
import {
  type Acknowledgement,
  InvalidNotificationError,
  type PaymentProvider,
  type PaymentProviderName,
  type ProviderEvent,
  type ProviderNotification,
  ProviderUnavailableError,
  type RawNotification,
} from '../payment-providers/payment-provider';
import { findRefunds, requestRefundCheck } from '../payments/refunds.repository';
import { insertProviderEvent } from '../provider-events/provider-events.repository';
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
    if (notification.about === 'payment') {
      await this.settlement.settle(name, notification.paymentId, notification.state);
      if (notification.event) await this.keep(name, notification.event);
    } else if (notification.about === 'refund') {
      const { refundId, event } = notification;
      const isOwn = (await findRefunds(this.database, [refundId])).length > 0;
      if (isOwn) await requestRefundCheck(this.database, refundId);
      else await this.keep(name, event);
    } else if (notification.about === 'event') await this.keep(name, notification.event);
  }

  /** Stores what nobody handles, once, for a person. */
  private async keep(provider: PaymentProviderName, event: ProviderEvent): Promise<void> {
    if (await insertProviderEvent(this.database, provider, event))
      this.logger.warn(`${provider} reports ${event.type} (${event.eventId}); a person has to look at it.`);
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
