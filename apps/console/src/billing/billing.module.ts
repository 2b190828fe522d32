import { Module } from '@nestjs/common';
import { SealedTokensModule } from '../identity/identity.module';
import { ServiceProxyModule, ServingModule } from '../inference/inference.module';
import { MailModule } from '../notifications/notifications.module';
import { AdjustmentsController } from './adjustments/adjustments.controller';
import { AdjustmentsService } from './adjustments/adjustments.service';
import { AdminPaymentsController } from './admin-payments/admin-payments.controller';
import { AdminPaymentsService } from './admin-payments/admin-payments.service';
import { CostPricesController } from './pricing/cost-prices.controller';
import { CostPricesService } from './pricing/cost-prices.service';
import { DashboardController } from './dashboard/dashboard.controller';
import { DashboardService, DayFiguresJob } from './dashboard/dashboard.service';
import { CostReportController } from './cost-report/cost-report.controller';
import { DocumentLinksService } from './documents/document-links.service';
import { ExchangeRatesController } from './exchange-rates/exchange-rates.controller';
import { ExchangeRatesService } from './exchange-rates/exchange-rates.service';
import { ExportsController } from './exports/exports.controller';
import { EXPORT_STORAGE_PROVIDER, ExportJob, ExportsService } from './exports/exports.service';
import { IdempotencyKeyCleanupJob } from './idempotency/idempotency-keys';
import { InvoiceMail } from './invoices/invoice-file';
import { InvoicesController } from './invoices/invoices.controller';
import { InvoicesService } from './invoices/invoices.service';
import { InvoiceFetcher } from './invoices/issuer/invoice-fetcher';
import { MarginController } from './dashboard/margin.controller';
import { UnservedReportController } from './dashboard/unserved-report.controller';
import { UnservedReportService } from './dashboard/unserved-report.service';
import { MarginService } from './dashboard/margin.service';
import { PaymentProviders } from './payment-providers/payment-providers';
import { PaymentProvidersController } from './payment-providers/payment-providers.controller';
import { PaymentsController } from './payments/payments.controller';
import { PaymentsService } from './payments/payments.service';
import { PriceHistoryController } from './pricing/price-history.controller';
import { PriceHistoryService } from './pricing/price-history.service';
import {
  AdminPricingController,
  AdminTrainingPriceController,
  PricingController,
} from './pricing/pricing.controller';
import { PricingService } from './pricing/pricing.service';
import { TrainingPriceService } from './pricing/training-price.service';
import { ProofController } from './proof/proof.controller';
import { ProofService } from './proof/proof.service';
import { RouterCostClient } from './proof/router-cost-client';
import { ProviderEventsController } from './provider-events/provider-events.controller';
import { ProviderEventsService } from './provider-events/provider-events.service';
import { ReceiptsController } from './receipts/receipts.controller';
import { ReceiptsService } from './receipts/receipts.service';
import { RefundExecutor } from './refunds/refund-executor';
import { AdminRefundsController, RefundsController } from './refunds/refunds.controller';
import { RefundListsService, RefundsService } from './refunds/refunds.service';
import { AdminRequestsController, AnyRequestController } from './requests/admin-requests.controller';
import { RequestsController } from './requests/requests.controller';
import { RequestsService } from './requests/requests.service';
import { SettingsController } from './settings/settings.controller';
import { SettingsService } from './settings/settings.service';
import { PaymentPoller } from './settlement/payment-poller';
import { PaymentMetrics, PaymentSettlement } from './settlement/payment-settlement';
import { AdminTransactionsController, TransactionsController } from './transactions/transactions.controller';
import { TransactionsService } from './transactions/transactions.service';
import { AdminUsageController, UsageController } from './usage/usage.controller';
import { UsageService } from './usage/usage.service';
import { WebhooksController } from './webhooks/webhooks.controller';
import { WebhooksService } from './webhooks/webhooks.service';

@Module({
  controllers: [AdjustmentsController],
  providers: [AdjustmentsService],
})
class AdjustmentsModule {}

@Module({
  controllers: [PaymentProvidersController],
  providers: [PaymentProviders],
  exports: [PaymentProviders],
})
class PaymentProvidersModule {}

@Module({
  imports: [PaymentProvidersModule],
  controllers: [RefundsController, AdminRefundsController],
  providers: [RefundsService, RefundListsService, RefundExecutor],
  exports: [RefundsService, RefundExecutor],
})
class RefundsModule {}

@Module({
  imports: [RefundsModule],
  controllers: [AdminPaymentsController],
  providers: [AdminPaymentsService],
})
class AdminPaymentsModule {}

/** The cost of all accounts in a browser, through the router-cost service. */
@Module({ imports: [ServiceProxyModule], controllers: [CostReportController] })
class CostReportModule {}

/** Links to receipts and invoices that need no credential. */
@Module({
  imports: [SealedTokensModule],
  providers: [DocumentLinksService],
  exports: [DocumentLinksService],
})
class DocumentLinksModule {}

@Module({
  controllers: [ExchangeRatesController],
  providers: [ExchangeRatesService],
})
class ExchangeRatesModule {}

/** Files of closed hours of usage and ledger, for a warehouse. */
@Module({ controllers: [ExportsController], providers: [EXPORT_STORAGE_PROVIDER, ExportJob, ExportsService] })
class ExportsModule {}

/** Remembers the answers to requests with an idempotency key, see `idempotency-keys.ts`. */
@Module({ providers: [IdempotencyKeyCleanupJob] })
class IdempotencyModule {}

@Module({
  imports: [DocumentLinksModule, MailModule],
  controllers: [InvoicesController],
  providers: [InvoicesService, InvoiceMail, InvoiceFetcher],
})
class InvoicesModule {}

@Module({
  imports: [PaymentProvidersModule],
  controllers: [PaymentsController],
  providers: [PaymentsService],
})
class PaymentsModule {}

@Module({
  controllers: [
    PricingController,
    AdminPricingController,
    AdminTrainingPriceController,
    PriceHistoryController,
    CostPricesController,
  ],
  providers: [CostPricesService, PricingService, TrainingPriceService, PriceHistoryService],
  exports: [PricingService],
})
class PricingModule {}

/** Compares usage, ledger and cost report of a period. */
@Module({ controllers: [ProofController], providers: [ProofService, RouterCostClient] })
class ProofModule {}

@Module({
  imports: [DocumentLinksModule],
  controllers: [ReceiptsController],
  providers: [ReceiptsService],
  exports: [ReceiptsService],
})
class ReceiptsModule {}

/** The request log: every served call of an account with its cost. */
@Module({
  controllers: [RequestsController, AdminRequestsController, AnyRequestController],
  providers: [RequestsService],
  exports: [RequestsService],
})
class RequestsModule {}

@Module({
  imports: [PaymentProvidersModule],
  controllers: [SettingsController],
  providers: [SettingsService],
})
class SettingsModule {}

/** Turns what the providers report of orders, by webhook or when polled, into credits of the wallet. */
@Module({
  imports: [PaymentProvidersModule, ReceiptsModule, RefundsModule],
  providers: [PaymentMetrics, PaymentSettlement, PaymentPoller],
  exports: [PaymentSettlement],
})
class SettlementModule {}

@Module({
  controllers: [TransactionsController, AdminTransactionsController],
  providers: [TransactionsService],
})
class TransactionsModule {}

@Module({
  controllers: [UsageController, AdminUsageController],
  providers: [UsageService],
})
class UsageModule {}

@Module({
  imports: [ServingModule],
  controllers: [DashboardController, MarginController, UnservedReportController],
  providers: [DashboardService, DayFiguresJob, MarginService, UnservedReportService],
})
class DashboardModule {}

@Module({ controllers: [ProviderEventsController], providers: [ProviderEventsService] })
class ProviderEventsModule {}

@Module({
  imports: [PaymentProvidersModule, SettlementModule],
  controllers: [WebhooksController],
  providers: [WebhooksService],
})
class WebhooksModule {}

/**
 * The way of the money: a payment is created in payments/, paid at a provider, reported to webhooks/ (or polled for) and
 * credited in settlement/. Everything else reads, prices, corrects or documents what was credited and used.
 */
@Module({
  imports: [
    AdjustmentsModule,
    AdminPaymentsModule,
    CostReportModule,
    DashboardModule,
    ExchangeRatesModule,
    ExportsModule,
    IdempotencyModule,
    InvoicesModule,
    PaymentProvidersModule,
    PaymentsModule,
    PricingModule,
    ProofModule,
    ProviderEventsModule,
    ReceiptsModule,
    RefundsModule,
    RequestsModule,
    SettingsModule,
    SettlementModule,
    TransactionsModule,
    UsageModule,
    WebhooksModule,
  ],
  exports: [PricingModule, RequestsModule],
})
export class BillingModule {}
