import { env, loadConfig } from '@inference/config';
import { z } from 'zod';
import { catalogueFields, catalogueOf, checkCatalogue } from './config.catalogue';
import { checkDocuments, documentFields, documentsOf } from './config.documents';
import { encryptionKeys, signingKeys } from './config.keys';
import { oauthProviders } from './config.oauth';
import { checkPayments, paymentFields, paymentsOf } from './config.payments';
import { hasOrderedBounds, hasPresetsInBounds, topupFields, topupOf } from './config.topup';

export const CONSOLE_CONFIG = Symbol('CONSOLE_CONFIG');

const fields = z.object({
  ...env.service,
  ...env.database,
  /** Private EC P-256 keys as JWK, each with a kid: the first one signs, all are published. */
  SESSION_SIGNING_KEYS: env.json(signingKeys),
  SESSION_TTL_SECONDS: env.integer(1, 604_800).default(1_800),
  API_KEY_HASH_SECRET: env.secret(),
  /** Keep secrets that have to be read again, such as those of authenticators. */
  ENCRYPTION_KEYS: encryptionKeys,
  SIGNUP: z.enum(['open', 'closed'], 'must be open or closed').default('open'),
  SITE_NAME: z.string().max(200).default('Inference Platform'),
  /** Where customers reach this service and the others. */
  CONSOLE_URL: env.httpUrl(),
  /** Where people use the console in a browser, CONSOLE_URL unless told: links in mails lead there. */
  CONSOLE_UI_URL: env.httpUrl().optional(),
  GATEWAY_URL: env.httpUrl(),
  TRAINING_URL: env.httpUrl(),
  ROUTER_URL: env.httpUrl(),
  AGENT_URL: env.httpUrl(),
  MEMO_URL: env.httpUrl(),
  /** Of the session cookie; without it the cookie goes to this host only. */
  COOKIE_DOMAIN: z
    .string()
    .regex(/^\.?([a-z0-9-]+\.)*[a-z0-9-]+$/i, 'must be a domain name')
    .optional(),
  /** OpenID Connect issuers; none by default. */
  OAUTH_PROVIDERS: oauthProviders.default([]),
  /** The mail server: smtp://user:password@host:587, or smtps://. */
  SMTP_URL: env.url('smtp', 'smtps').optional(),
  /** Instead of a mail server: a folder that mails are written to as .eml files. */
  MAIL_FOLDER: z.string().optional(),
  /** `no-reply@example.com` or `Example <no-reply@example.com>`. */
  MAIL_FROM: z
    .string()
    .max(300)
    .regex(
      /^([^<>\p{Cc}]*<[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/u,
      'must be an address, or a name and <an address>',
    )
    .optional(),
  /** Shares the rate limits among replicas; without it each process counts for itself. */
  REDIS_URL: env.url('redis', 'rediss').optional(),
  /** Scales every rate limit. */
  RATE_LIMIT_MULTIPLIER: env.number(0.01, 1_000_000).default(1),
  ...topupFields,
  ...paymentFields,
  ...documentFields,
  ...catalogueFields,
});

/** These too are looked at when other variables are at fault, so that every fault is named at once. */
const when = () => true;

const schema = fields
  .refine(hasOrderedBounds, { when, path: ['MAX_TOPUP'], message: 'is less than MIN_TOPUP' })
  .refine(hasPresetsInBounds, {
    when,
    path: ['TOPUP_PRESETS'],
    message: 'must lie between MIN_TOPUP and MAX_TOPUP',
  })
  .refine(({ SMTP_URL, MAIL_FOLDER }) => !SMTP_URL || !MAIL_FOLDER, {
    when,
    path: ['MAIL_FOLDER'],
    message: 'must not be set beside SMTP_URL',
  })
  .refine(({ SMTP_URL, MAIL_FROM }) => !SMTP_URL || MAIL_FROM, {
    when,
    path: ['MAIL_FROM'],
    message: 'is missing beside SMTP_URL',
  })
  .superRefine(checkPayments, { when })
  .superRefine(checkDocuments, { when })
  .superRefine(checkCatalogue, { when })
  .transform((config) => ({
    ...config,
    CONSOLE_UI_URL: config.CONSOLE_UI_URL ?? config.CONSOLE_URL,
    topup: topupOf(config),
    payments: paymentsOf(config),
    documents: documentsOf(config),
    catalogue: catalogueOf(config),
  }));

/** The names of everything it reads. */
export const VARIABLES = Object.keys(fields.shape);

export type ConsoleConfig = z.output<typeof schema>;

/** The console's configuration from its environment; throws a ConfigError that names every fault. */
export function readConsoleConfig(environment?: NodeJS.ProcessEnv): ConsoleConfig {
  return loadConfig(schema, environment);
}
