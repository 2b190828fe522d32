import { type Site } from '@inference/config';
import { z } from 'zod';

export const LEGAL_CONFIG = Symbol('LEGAL_CONFIG');

const MAX_URL_CHARS = 2_000;
const MAX_VERSION_CHARS = 64;

const isPageUrl = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
const isMailAddress = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text);

/** Unlike addresses of services, a link keeps its end as it is. */
const pageUrl = () =>
  z.string().max(MAX_URL_CHARS).refine(isPageUrl, 'must be a URL starting with http:// or https://');

export const legalFields = {
  /** Page of the terms of use. Whoever registers has to accept them. */
  TERMS_URL: pageUrl().optional(),
  /** Version of the terms, such as the day from which they apply. An account that has accepted another one is asked again. */
  TERMS_VERSION: z
    .string()
    .regex(/^[A-Za-z0-9._-]+$/, 'must have letters, digits and . _ - only')
    .max(MAX_VERSION_CHARS)
    .optional(),
  PRIVACY_URL: pageUrl().optional(),
  IMPRINT_URL: pageUrl().optional(),
  STATUS_URL: pageUrl().optional(),
  /** Whether everybody sees the console's own page of the state of the services. */
  STATUS_PAGE: z.enum(['public', 'off']).default('off'),
  /** Where people get help: an e-mail address, or the URL of a page. */
  SUPPORT_CONTACT: z
    .string()
    .max(MAX_URL_CHARS)
    .refine(
      (text) => isPageUrl(text) || isMailAddress(text),
      'must be an e-mail address or a URL starting with http:// or https://',
    )
    .optional(),
  /** Number of the ICP filing, which sites in China have to show. */
  ICP_NUMBER: z.string().trim().min(1).max(100).optional(),
};

type LegalFields = z.output<z.ZodObject<typeof legalFields>>;

/** Reports settings that do not fit together. */
export function checkLegal(config: Partial<LegalFields> & { SITE?: Site }, context: z.RefinementCtx): void {
  const fault = (name: keyof LegalFields, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  if (config.TERMS_URL !== undefined && config.TERMS_VERSION === undefined)
    fault('TERMS_VERSION', 'is missing: it is recorded which version of TERMS_URL an account has accepted');
  if (config.TERMS_VERSION !== undefined && config.TERMS_URL === undefined)
    fault('TERMS_URL', 'is missing: people must be able to read what they accept (TERMS_VERSION)');
  if (config.ICP_NUMBER !== undefined && config.SITE === 'intl')
    fault('ICP_NUMBER', 'is for the site cn only');
}

/** What the site shows of itself by law, and where its users find help. Undefined is not shown. */
export interface LegalConfig {
  terms: { url: string; version: string } | undefined;
  privacyUrl: string | undefined;
  imprintUrl: string | undefined;
  statusUrl: string | undefined;
  hasStatusPage: boolean;
  /** An address of a page, or `mailto:`. */
  supportUrl: string | undefined;
  icpNumber: string | undefined;
}

export function legalOf(config: LegalFields): LegalConfig {
  const { TERMS_URL: url, TERMS_VERSION: version, SUPPORT_CONTACT: support } = config;
  return {
    terms: url !== undefined && version !== undefined ? { url, version } : undefined,
    privacyUrl: config.PRIVACY_URL,
    imprintUrl: config.IMPRINT_URL,
    statusUrl: config.STATUS_URL,
    hasStatusPage: config.STATUS_PAGE === 'public',
    supportUrl: support === undefined || isPageUrl(support) ? support : `mailto:${support}`,
    icpNumber: config.ICP_NUMBER,
  };
}
