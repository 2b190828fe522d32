import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { CredentialsModule } from '@inference/credentials';
import { DatabaseModule } from '@inference/database';
import { ExactJsonInterceptor, ServiceModule } from '@inference/http';
import { AdminAccountsController } from './accounts/admin-accounts.controller';
import { AdminAccountsService } from './accounts/admin-accounts.service';
import { ApiKeysController } from './api-keys/api-keys.controller';
import { ApiKeysService } from './api-keys/api-keys.service';
import { AuthController } from './auth/auth.controller';
import { AuthService } from './auth/auth.service';
import { JwksController } from './auth/jwks.controller';
import { ExpirySweep } from './auth/expiry-sweep';
import { PasswordCheck } from './auth/password-check';
import { PasswordController } from './auth/password.controller';
import { PasswordHasher } from './auth/password-hasher';
import { PasswordService } from './auth/password.service';
import { SessionCookie } from './auth/session-cookie';
import { SessionsService } from './auth/sessions.service';
import { SignInService } from './auth/sign-in.service';
import { publicKeyOf } from './auth/signing-keys';
import { AdjustmentsController } from './billing/adjustments.controller';
import { AdjustmentsService } from './billing/adjustments.service';
import { SettingsController } from './billing/settings.controller';
import { TransactionsController } from './billing/transactions.controller';
import { UsageController } from './billing/usage.controller';
import { UsageService } from './billing/usage.service';
import { AdminChangelogController } from './changelog/admin-changelog.controller';
import { ChangelogController } from './changelog/changelog.controller';
import { ChangelogService } from './changelog/changelog.service';
import { CONSOLE_CONFIG, type ConsoleConfig } from './config';
import { AdminDownloadsController } from './downloads/admin-downloads.controller';
import { AdminEventsController } from './events/admin-events.controller';
import { EventsController } from './events/events.controller';
import { GuessDesk } from './guesses/guess-desk';
import { InvoiceFetcher } from './invoices/invoice-fetcher';
import { InvoicesController } from './invoices/invoices.controller';
import { InvoicesService } from './invoices/invoices.service';
import { LowBalanceSweep } from './low-balance/low-balance-sweep';
import { MailSender } from './mail/mail-sender';
import { AdminModelsController } from './models/admin-models.controller';
import { AdminModelsService } from './models/admin-models.service';
import { ModelsController } from './models/models.controller';
import { ModelsService } from './models/models.service';
import { PackageSweep } from './models/package-sweep';
import { UploadService } from './models/upload.service';
import { FlowCookie } from './oauth/flow-cookie';
import { OAuthFlows } from './oauth/flows';
import { IdentitiesController } from './oauth/identities.controller';
import { IdentitiesService } from './oauth/identities.service';
import { OAuthController } from './oauth/oauth.controller';
import { OAuthService } from './oauth/oauth.service';
import { OAuthProviders } from './oauth/providers';
import { PaymentProviders } from './payment-providers/payment-providers';
import { PaymentProvidersController } from './payment-providers/payment-providers.controller';
import { AdminPaymentsController } from './payments/admin-payments.controller';
import { PaymentReconciler } from './payments/payment-reconciler';
import { PaymentSettlement } from './payments/payment-settlement';
import { PaymentsController } from './payments/payments.controller';
import { PaymentsService } from './payments/payments.service';
import { RefundReconciler } from './payments/refund-reconciler';
import { RefundsService } from './payments/refunds.service';
import { WebhooksController } from './payments/webhooks.controller';
import { WebhooksService } from './payments/webhooks.service';
import { AdminPricingController } from './pricing/admin-pricing.controller';
import { ExchangeRatesController } from './pricing/exchange-rates.controller';
import { ExchangeRatesService } from './pricing/exchange-rates.service';
import { PriceHistoryController } from './pricing/price-history.controller';
import { PriceHistoryService } from './pricing/price-history.service';
import { PricingController } from './pricing/pricing.controller';
import { PricingService } from './pricing/pricing.service';
import { RateLimitGuard } from './rate-limit/rate-limit.guard';
import { rateLimits } from './rate-limit/rate-limits';
import { ReceiptsController } from './receipts/receipts.controller';
import { AdminReleasesController } from './releases/admin-releases.controller';
import { LatestReleasesController } from './releases/latest-releases.controller';
import { ReleaseFollower } from './releases/release-follower';
import { ReleaseLookups } from './releases/release-lookups';
import { ReleasesService } from './releases/releases.service';
import { SealedTokens } from './sealing/sealed-tokens';
import { SiteController } from './site/site.controller';
import { FilesController } from './storage/files.controller';
import { FilesService } from './storage/files.service';
import { STORAGE_PROVIDER } from './storage/storage.providers';
import { SitemapController } from './sitemap/sitemap.controller';
import { SitemapService } from './sitemap/sitemap.service';
import { ChallengesService } from './two-factor/challenges.service';
import { SecondFactor } from './two-factor/second-factor';
import { TwoFactorController } from './two-factor/two-factor.controller';
import { TwoFactorService } from './two-factor/two-factor.service';

@Module({})
export class AppModule {
  static forRoot(config: ConsoleConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ServiceModule,
        DatabaseModule.forRoot('console', config),
        CredentialsModule.forRoot({
          SITE: config.SITE,
          API_KEY_HASH_SECRET: config.API_KEY_HASH_SECRET,
          defaultKinds: ['session'],
          // A logout here is in force here at once.
          sessionCacheSeconds: 0,
          publicKeys: config.SESSION_SIGNING_KEYS.map(publicKeyOf),
        }),
        ThrottlerModule.forRoot(rateLimits(config)),
      ],
      controllers: [
        AuthController,
        PasswordController,
        TwoFactorController,
        OAuthController,
        IdentitiesController,
        EventsController,
        AdminAccountsController,
        AdminEventsController,
        JwksController,
        ApiKeysController,
        PricingController,
        AdminPricingController,
        PriceHistoryController,
        ExchangeRatesController,
        UsageController,
        TransactionsController,
        SettingsController,
        AdjustmentsController,
        PaymentProvidersController,
        PaymentsController,
        AdminPaymentsController,
        WebhooksController,
        ReceiptsController,
        InvoicesController,
        SiteController,
        ChangelogController,
        AdminChangelogController,
        LatestReleasesController,
        AdminReleasesController,
        SitemapController,
        ModelsController,
        AdminModelsController,
        AdminDownloadsController,
        FilesController,
      ],
      providers: [
        { provide: CONSOLE_CONFIG, useValue: config },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_INTERCEPTOR, useClass: ExactJsonInterceptor },
        PasswordHasher,
        GuessDesk,
        PasswordCheck,
        ExpirySweep,
        PasswordService,
        SessionCookie,
        SignInService,
        MailSender,
        LowBalanceSweep,
        SealedTokens,
        SecondFactor,
        ChallengesService,
        TwoFactorService,
        FlowCookie,
        OAuthProviders,
        OAuthFlows,
        IdentitiesService,
        OAuthService,
        AdminAccountsService,
        SessionsService,
        AuthService,
        ApiKeysService,
        PricingService,
        PriceHistoryService,
        ChangelogService,
        ReleasesService,
        ReleaseLookups,
        ReleaseFollower,
        SitemapService,
        ExchangeRatesService,
        UsageService,
        AdjustmentsService,
        PaymentProviders,
        PaymentsService,
        PaymentSettlement,
        PaymentReconciler,
        RefundReconciler,
        RefundsService,
        WebhooksService,
        InvoicesService,
        InvoiceFetcher,
        STORAGE_PROVIDER,
        FilesService,
        ModelsService,
        AdminModelsService,
        UploadService,
        PackageSweep,
      ],
    };
  }
}
