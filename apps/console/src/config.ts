import { env, loadConfig } from '@inference/config';
import { limitTierFields, limitTiersOf, rateLimitFields, rateLimitOf } from '@inference/rate-limits';
import { z } from 'zod';
import {
  checkInvoices,
  checkTopUp,
  documentFields,
  documentsOf,
  invoiceFields,
  invoicesOf,
  paymentFields,
  paymentsOf,
  topUpFields,
  topUpOf,
} from './billing/billing.config';
import { checkExport, exportFields, exportOf } from './billing/exports/exports.config';
import {
  checkPaymentProviders,
  paymentProviderFields,
  paymentProvidersOf,
} from './billing/payment-providers/payment-providers.config';
import {
  checkCodeHost,
  checkPackageStorage,
  codeHostFields,
  codeHostOf,
  serviceUrlFields,
  sitemapFields,
  sitemapOf,
  siteMetadataOf,
  storageFields,
  storageOf,
} from './catalogue/catalogue.config';
import {
  apiKeyFields,
  apiKeysOf,
  checkSessions,
  oauthProviderFields,
  oauthProvidersOf,
  sealedTokenFields,
  sealedTokensOf,
  sessionFields,
  sessionsOf,
  signUpFields,
  signUpOf,
} from './identity/identity.config';
import { inferenceFields, inferenceOf, servingFields, servingOf } from './inference/inference.config';
import { checkLegal, legalFields, legalOf } from './legal.config';
import { announcementMailOf, checkMail, mailFields, mailOf } from './notifications/notifications.config';
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
  ...env.staff,
  ...rateLimitFields,
  ...siteFields,
  ...legalFields,
  ...serviceUrlFields,
  ...inferenceFields,
  ...servingFields,
  ...limitTierFields,
  ...mailFields,
  ...topUpFields,
  ...paymentFields,
  ...paymentProviderFields,
  ...documentFields,
  ...invoiceFields,
  ...storageFields,
  ...exportFields,
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
  .superRefine(checkExport, { when })
  .superRefine(checkCodeHost, { when })
  .superRefine(checkLegal, { when })
  .transform((config) => ({
    ...config,
    site: siteOf(config),
    legal: legalOf(config),
    sessions: sessionsOf(config, siteOf(config)),
    apiKeys: apiKeysOf(config),
    sealedTokens: sealedTokensOf(config),
    signUp: signUpOf(config),
    staffTwoFactor: config.STAFF_2FA,
    oauthProviders: oauthProvidersOf(config),
    rateLimit: rateLimitOf(config),
    topUp: topUpOf(config),
    payments: paymentsOf(config, siteOf(config)),
    paymentProviders: paymentProvidersOf(config),
    documents: documentsOf(config),
    invoices: invoicesOf(config),
    storage: storageOf(config),
    export: exportOf(config),
    codeHost: codeHostOf(config),
    sitemap: sitemapOf(config),
    siteMetadata: siteMetadataOf(config),
    inference: inferenceOf(config),
    serving: servingOf(config),
    limitTiers: limitTiersOf(config),
    serviceHealth: serviceHealthOf(config),
    userInterface: userInterfaceOf(config),
    mail: mailOf(config),
    announcementMail: announcementMailOf(config, limitTiersOf(config)),
    startCredit: { amountPicos: config.START_CREDIT ?? 0n },
    lowBalance: { thresholdPicos: topUpOf(config).lowBalanceThresholdPicos },
  }));

/** The names of all environment variables that the console reads. */
export const VARIABLES = Object.keys(fields.shape);

export type ConsoleConfig = z.output<typeof schema>;

/** Reads the console's configuration from its environment. Throws a ConfigError that names all faults. */
export function readConsoleConfig(environment?: NodeJS.ProcessEnv): ConsoleConfig {
  return loadConfig(schema, environment);
}
