import { env } from '@inference/config';
import { type LimitTier } from '@inference/rate-limits';
import { z } from 'zod';

export const MAIL_CONFIG = Symbol('MAIL_CONFIG');

export const mailFields = {
  /** Mail server, as `smtp://user:password@host:587` or `smtps://…`. Without it and `MAIL_FOLDER` no mail is sent. */
  SMTP_URL: env.url('smtp', 'smtps').optional(),
  /** Folder to which mails are written as .eml files. Excludes `SMTP_URL`. */
  MAIL_FOLDER: z.string().optional(),
  /** Announcements by mail that go out in a minute. */
  ANNOUNCEMENT_MAILS_PER_MINUTE: env.integer(1, 60_000).default(300),
  /** Sender of all mails: `no-reply@example.com` or `Example <no-reply@example.com>`. Required with `SMTP_URL`. */
  MAIL_FROM: z
    .string()
    .max(300)
    .regex(
      /^([^<>\p{Cc}]*<[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/u,
      'must be an address, or a name and <an address>',
    )
    .optional(),
};

type MailFields = z.output<z.ZodObject<typeof mailFields>>;

/** Reports two ways to send mail at once, and a mail server without a sender address. */
export function checkMail({ SMTP_URL, MAIL_FOLDER, MAIL_FROM }: MailFields, context: z.RefinementCtx): void {
  if (!SMTP_URL) return;
  const fault = (name: keyof MailFields, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  if (MAIL_FOLDER) fault('MAIL_FOLDER', 'must not be set beside SMTP_URL');
  if (!MAIL_FROM) fault('MAIL_FROM', 'is missing beside SMTP_URL');
}

/** How mails are sent; with neither `smtpUrl` nor `folder` they are not. */
export interface MailConfig {
  smtpUrl: string | undefined;
  /** Folder to which mails are written as files instead of being sent. */
  folder: string | undefined;
  /** `no-reply@example.com` or `Example <no-reply@example.com>`; derived from the site when undefined. */
  from: string | undefined;
  /** Scales the limits on mails that anybody can request for an address. */
  rateLimitMultiplier: number;
}

export function mailOf(config: MailFields & { RATE_LIMIT_MULTIPLIER: number }): MailConfig {
  return {
    smtpUrl: config.SMTP_URL,
    folder: config.MAIL_FOLDER,
    from: config.MAIL_FROM,
    rateLimitMultiplier: config.RATE_LIMIT_MULTIPLIER,
  };
}

export const ANNOUNCEMENT_MAIL_CONFIG = Symbol('ANNOUNCEMENT_MAIL_CONFIG');

/** How announcements go out by mail. */
export interface AnnouncementMailConfig {
  /** Whether the site sends mail at all. */
  isPossible: boolean;
  mailsPerMinute: number;
  /** Among which staff chooses. */
  tiers: LimitTier[];
}

export const announcementMailOf = (config: MailFields, tiers: LimitTier[]): AnnouncementMailConfig => ({
  isPossible: config.SMTP_URL !== undefined || config.MAIL_FOLDER !== undefined,
  mailsPerMinute: config.ANNOUNCEMENT_MAILS_PER_MINUTE,
  tiers,
});

export const LOW_BALANCE_CONFIG = Symbol('LOW_BALANCE_CONFIG');

/** When an account is told that its balance is low. */
export interface LowBalanceConfig {
  /** For accounts that have not chosen one, in picos of the site's currency. */
  thresholdPicos: bigint;
}
