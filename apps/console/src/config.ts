import { env, loadConfig } from '@inference/config';
import { rateLimitFields, rateLimitOf } from '@inference/rate-limits';
import { z } from 'zod';
import { documentFields, documentsOf } from './billing/documents/documents.config';
import { checkInvoices, invoiceFields, invoicesOf } from './billing/invoices/invoices.config';
import { checkCodeHost, codeHostFields, codeHostOf } from './catalogue/releases/code-host/code-host.config';
import { serviceUrlFields, siteMetadataOf } from './catalogue/site/site-metadata.config';
import { sitemapFields, sitemapOf } from './catalogue/sitemap/sitemap.config';
import { checkPackageStorage, storageFields, storageOf } from './catalogue/storage/storage.config';
import { signUpOf, signUpFields } from './identity/accounts/sign-up.config';
import { apiKeyFields, apiKeysOf } from './identity/api-keys/api-keys.config';
import { oauthProviderFields, oauthProvidersOf } from './identity/oauth-providers/oauth-providers.config';
import { sealedTokenFields, sealedTokensOf } from './identity/sealed-tokens/sealed-tokens.config';
import { checkSessions, sessionFields, sessionsOf } from './identity/sessions/sessions.config';
import { inferenceFields, inferenceOf } from './inference/inference.config';
import {
  checkPaymentProviders,
  paymentProviderFields,
  paymentProvidersOf,
} from './billing/payment-providers/payment-providers.config';
import { paymentFields, paymentsOf } from './billing/payments/payments.config';
import { checkTopUp, topUpFields, topUpOf } from './billing/settings/top-up.config';
import { checkMail, mailFields, mailOf } from './notifications/mail/mail.config';
import { serviceHealthOf } from './service-health/service-health.config';
import { siteFields, siteOf } from './site.config';
import { userInterfaceFields, userInterfaceOf } from './user-interface/user-interface.config';

export const fields = z.object({
  ...env.service,
  ...env.database,
  ...env.databaseReplica,
  ...sessionFields,
  ...apiKeyFields,
  ...sealedTokenFields,
  ...signUpFields,
  ...oauthProviderFields,
  ...rateLimitFields,
  ...siteFields,
  ...serviceUrlFields,
  ...inferenceFields,
  ...mailFields,
  ...topUpFields,
  ...paymentFields,
  ...paymentProviderFields,
  ...documentFields,
  ...invoiceFields,
  ...storageFields,
  ...codeHostFields,
  ...sitemapFields,
  ...userInterfaceFields,
});

/** Runs a check even if other variables are at fault, so that all faults are named at once. */
const when = () => true;

const schema = fields
  .superRefine(checkSessions, { when })
  .superRefine(checkTopUp, { when })
  .superRefine(checkMail, { when })
  .superRefine(checkPaymentProviders, { when })
  .superRefine(checkInvoices, { when })
  .superRefine(checkPackageStorage, { when })
  .superRefine(checkCodeHost, { when })
  .transform((config) => ({
    ...config,
    site: siteOf(config),
    sessions: sessionsOf(config, siteOf(config)),
    apiKeys: apiKeysOf(config),
    sealedTokens: sealedTokensOf(config),
    signUp: signUpOf(config),
    oauthProviders: oauthProvidersOf(config),
    rateLimit: rateLimitOf(config),
    topUp: topUpOf(config),
    payments: paymentsOf(config, siteOf(config)),
    paymentProviders: paymentProvidersOf(config),
    documents: documentsOf(config),
    invoices: invoicesOf(config),
    storage: storageOf(config),
    codeHost: codeHostOf(config),
    sitemap: sitemapOf(config),
    siteMetadata: siteMetadataOf(config),
    inference: inferenceOf(config),
    serviceHealth: serviceHealthOf(config),
    userInterface: userInterfaceOf(config),
    mail: mailOf(config),
    lowBalance: { thresholdPicos: topUpOf(config).lowBalanceThresholdPicos },
  }));

/** The names of all environment variables that the console reads. */
export const VARIABLES = Object.keys(fields.shape);

export type ConsoleConfig = z.output<typeof schema>;

/** Reads the console's configuration from its environment. Throws a ConfigError that names all faults. */
export function readConsoleConfig(environment?: NodeJS.ProcessEnv): ConsoleConfig {
  return loadConfig(schema, environment);
}
