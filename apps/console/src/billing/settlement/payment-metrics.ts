import { Injectable } from '@nestjs/common';
import { Metrics } from '@inference/http';
import { Counter } from 'prom-client';
import { PAYMENT_PROVIDERS, type PaymentProviderName } from '../payment-providers/payment-provider';
import { PAYMENT_STATUSES, type PaymentStatus } from '../payments/payment-status';

/** Counts the payments that this process has brought to their end. */
@Injectable()
export class PaymentMetrics {
  private readonly payments: Counter<'provider' | 'status'>;

  constructor({ registry }: Metrics) {
    this.payments = new Counter({
      name: 'console_payments_total',
      help: 'Payments that were paid, have failed or have expired.',
      labelNames: ['provider', 'status'],
      registers: [registry],
    });
    for (const provider of PAYMENT_PROVIDERS)
      for (const status of PAYMENT_STATUSES)
        if (status !== 'pending') this.payments.inc({ provider, status }, 0);
  }

  count(provider: PaymentProviderName, status: Exclude<PaymentStatus, 'pending'>): void {
    this.payments.inc({ provider, status });
  }
}
