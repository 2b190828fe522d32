import { CREDENTIAL_ENTITIES } from '@inference/guards';
import {
  ArchivedDay,
  ClientRequestId,
  COST_PRICE_ENTITIES,
  MARGIN_ENTITIES,
  PRICE_ENTITIES,
  RefusedRequest,
  ROLLUP_ENTITIES,
  TrainingPrice,
  UnservedCall,
  UsageEvent,
} from '@inference/metering';
import { SERVING_ENTITIES } from '@inference/serving';
import { LIMIT_ENTITIES } from '@inference/rate-limits';
import { WALLET_ENTITIES } from '@inference/wallet';
import { Account, TermsAcceptance } from './accounts/account.entity';
import { SecurityEvent } from './accounts/audit-log/security-event.entity';
import { DAY_ENTITIES } from './billing/dashboard/day-figures.entity';
import { BillingDocument, DocumentCounter } from './billing/documents/document.entity';
import { IdempotencyKey } from './billing/idempotency/idempotency-key.entity';
import { InvoiceFile, InvoiceRequest } from './billing/invoices/invoice.entity';
import { Payment, Refund } from './billing/payments/payment.entity';
import { ExportedHour } from './billing/exports/exported-hour.entity';
import { ProviderEventRow } from './billing/provider-events/provider-event.entity';
import { CatalogueChange } from './caching/catalogue-change.entity';
import { ChangelogEntry } from './catalogue/changelog/changelog-entry.entity';
import { PackageDownload, ReleaseLookup } from './catalogue/downloads/download.entity';
import { Model, Package } from './catalogue/models/model.entity';
import { ResumableUpload, UploadPart } from './catalogue/models/uploads/resumable/resumable-upload.entity';
import { FollowedRepository } from './catalogue/releases/followed/followed-repository.entity';
import { Release } from './catalogue/releases/published/release.entity';
import { OAuthIdentity, UsedOAuthFlow } from './identity/identities/oauth-identity.entity';
import { LoginAttempt } from './identity/login-throttle/login-attempt.entity';
import { RefreshToken } from './identity/refresh/refresh-token.entity';
import { RecoveryCode, Totp } from './identity/second-factor/second-factor.entity';
import { LoginChallenge } from './identity/sign-in/login-challenge.entity';
import {
  Announcement,
  AnnouncementAccount,
  AnnouncementMailing,
  AnnouncementRecipient,
} from './notifications/announcements/announcement.entity';
import { OutboxMail, MailPreference, MailToken } from './notifications/mail/mail.entity';
import {
  PlaygroundSettings,
  SavedConversation,
} from './inference/saved-conversations/saved-conversation.entity';
import { Preset } from './inference/presets/preset.entity';
import { AccountView, AccountNote } from './support/customer-view/account-view.entity';

/** The tables that the service uses, with no column that its database role may not read. */
export const ENTITIES = [
  ...COST_PRICE_ENTITIES,
  ...CREDENTIAL_ENTITIES,
  ...DAY_ENTITIES,
  ...LIMIT_ENTITIES,
  ...MARGIN_ENTITIES,
  ...PRICE_ENTITIES,
  ...ROLLUP_ENTITIES,
  ...SERVING_ENTITIES,
  ...WALLET_ENTITIES,
  Account,
  AccountNote,
  AccountView,
  Announcement,
  AnnouncementAccount,
  AnnouncementMailing,
  AnnouncementRecipient,
  ArchivedDay,
  BillingDocument,
  CatalogueChange,
  ChangelogEntry,
  DocumentCounter,
  FollowedRepository,
  IdempotencyKey,
  InvoiceFile,
  InvoiceRequest,
  LoginAttempt,
  LoginChallenge,
  MailPreference,
  MailToken,
  Model,
  OAuthIdentity,
  OutboxMail,
  Package,
  ExportedHour,
  ProviderEventRow,
  PackageDownload,
  Payment,
  PlaygroundSettings,
  Preset,
  RecoveryCode,
  RefreshToken,
  Refund,
  RefusedRequest,
  ClientRequestId,
  UnservedCall,
  Release,
  ReleaseLookup,
  ResumableUpload,
  SavedConversation,
  SecurityEvent,
  TermsAcceptance,
  Totp,
  TrainingPrice,
  UploadPart,
  UsageEvent,
  UsedOAuthFlow,
];
