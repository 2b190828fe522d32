import { RATE_LIMIT_CONFIG } from '@inference/rate-limits';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DOCUMENTS_CONFIG, INVOICES_CONFIG, PAYMENTS_CONFIG, TOP_UP_CONFIG } from './billing/billing.config';
import { EXPORT_CONFIG } from './billing/exports/exports.config';
import { PAYMENT_PROVIDERS_CONFIG } from './billing/payment-providers/payment-providers.config';
import {
  CODE_HOST_CONFIG,
  SITE_METADATA_CONFIG,
  SITEMAP_CONFIG,
  STORAGE_CONFIG,
} from './catalogue/catalogue.config';
import { type ConsoleConfig } from './config';
import {
  API_KEYS_CONFIG,
  LIMIT_TIERS,
  OAUTH_PROVIDERS_CONFIG,
  SEALED_TOKENS_CONFIG,
  SESSIONS_CONFIG,
  SIGN_UP_CONFIG,
} from './identity/identity.config';
import { INFERENCE_CONFIG, SERVING_CONFIG } from './inference/inference.config';
import { START_CREDIT_CONFIG } from './identity/start-credit';
import {
  ANNOUNCEMENT_MAIL_CONFIG,
  LOW_BALANCE_CONFIG,
  MAIL_CONFIG,
} from './notifications/notifications.config';
import { SERVICE_HEALTH_CONFIG } from './service-health/service-health.config';
import { LEGAL_CONFIG } from './legal.config';
import { SITE_CONFIG } from './site.config';
import { USER_INTERFACE_CONFIG } from './user-interface/user-interface.config';

/** Provides each feature with its own slice of the configuration. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(config: ConsoleConfig): DynamicModule {
    const slices = [
      { provide: SITE_CONFIG, useValue: config.site },
      { provide: SESSIONS_CONFIG, useValue: config.sessions },
      { provide: API_KEYS_CONFIG, useValue: config.apiKeys },
      { provide: SEALED_TOKENS_CONFIG, useValue: config.sealedTokens },
      { provide: LEGAL_CONFIG, useValue: config.legal },
      { provide: SIGN_UP_CONFIG, useValue: config.signUp },
      { provide: OAUTH_PROVIDERS_CONFIG, useValue: config.oauthProviders },
      { provide: RATE_LIMIT_CONFIG, useValue: config.rateLimit },
      { provide: TOP_UP_CONFIG, useValue: config.topUp },
      { provide: PAYMENTS_CONFIG, useValue: config.payments },
      { provide: PAYMENT_PROVIDERS_CONFIG, useValue: config.paymentProviders },
      { provide: DOCUMENTS_CONFIG, useValue: config.documents },
      { provide: INVOICES_CONFIG, useValue: config.invoices },
      { provide: STORAGE_CONFIG, useValue: config.storage },
      { provide: EXPORT_CONFIG, useValue: config.export },
      { provide: CODE_HOST_CONFIG, useValue: config.codeHost },
      { provide: SITEMAP_CONFIG, useValue: config.sitemap },
      { provide: SITE_METADATA_CONFIG, useValue: config.siteMetadata },
      { provide: INFERENCE_CONFIG, useValue: config.inference },
      { provide: SERVING_CONFIG, useValue: config.serving },
      { provide: LIMIT_TIERS, useValue: config.limitTiers },
      { provide: SERVICE_HEALTH_CONFIG, useValue: config.serviceHealth },
      { provide: USER_INTERFACE_CONFIG, useValue: config.userInterface },
      { provide: MAIL_CONFIG, useValue: config.mail },
      { provide: ANNOUNCEMENT_MAIL_CONFIG, useValue: config.announcementMail },
      { provide: START_CREDIT_CONFIG, useValue: config.startCredit },
      { provide: LOW_BALANCE_CONFIG, useValue: config.lowBalance },
    ];
    return { module: ConfigModule, providers: slices, exports: slices.map(({ provide }) => provide) };
  }
}
