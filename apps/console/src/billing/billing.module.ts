import { Module } from '@nestjs/common';
import { AdjustmentsModule } from './adjustments/adjustments.module';
import { AdminPaymentsModule } from './admin-payments/admin-payments.module';
import { CostReportModule } from './cost-report/cost-report.module';
import { ExchangeRatesModule } from './exchange-rates/exchange-rates.module';
import { IdempotencyModule } from './idempotency/idempotency.module';
import { InvoicesModule } from './invoices/invoices.module';
import { PaymentProvidersModule } from './payment-providers/payment-providers.module';
import { PaymentsModule } from './payments/payments.module';
import { PricingModule } from './pricing/pricing.module';
import { ProofModule } from './proof/proof.module';
import { ReceiptsModule } from './receipts/receipts.module';
import { RefundsModule } from './refunds/refunds.module';
import { RequestsModule } from './requests/requests.module';
import { SettingsModule } from './settings/settings.module';
import { SettlementModule } from './settlement/settlement.module';
import { TransactionsModule } from './transactions/transactions.module';
import { UsageModule } from './usage/usage.module';
import { WebhooksModule } from './webhooks/webhooks.module';

/**
 * The way of the money: a payment is created in payments/, paid at a provider, reported to webhooks/ (or polled for) and
 * credited in settlement/. Everything else reads, prices, corrects or documents what was credited and used.
 */
@Module({
  imports: [
    AdjustmentsModule,
    AdminPaymentsModule,
    CostReportModule,
    ExchangeRatesModule,
    IdempotencyModule,
    InvoicesModule,
    PaymentProvidersModule,
    PaymentsModule,
    PricingModule,
    ProofModule,
    ReceiptsModule,
    RefundsModule,
    RequestsModule,
    SettingsModule,
    SettlementModule,
    TransactionsModule,
    UsageModule,
    WebhooksModule,
  ],
})
export class BillingModule {}
