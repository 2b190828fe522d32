import { DATABASE_STATEMENTS } from './database-statements.mjs';
import { OPERATOR_STATEMENTS } from './operator-statements.mjs';
import { STAFF_STATEMENTS } from './staff-statements.mjs';

/**
 * The places whose statements cross accounts: `npm test` names those that are missing. `npm run docs:reference` writes them to
 * docs/reference/statements-across-accounts.md.
 */

/** @type {import('./statement-scope.mjs').CrossingStatement[]} */
export const CROSSING_STATEMENTS = [
  {
    place: 'apps/console/src/support/customer-view/account-views.repository.ts endDueViews',
    kind: 'job',
    tables: ['accounts.account_views', 'accounts.accounts', 'accounts.sessions'],
    why: 'Ends the views of accounts by staff that ran out, or whose session or role ended.',
  },
  {
    place: 'apps/gateway/src/protocols/responses/stored/stored-responses.repository.ts deleteOldResponses',
    kind: 'job',
    tables: ['responses.stored'],
    why: 'Deletes stored responses after 30 days.',
  },
  {
    place:
      'apps/gateway/src/protocols/responses/stored/stored-responses.repository.ts deleteUnwantedResponses',
    kind: 'job',
    tables: ['accounts.accounts', 'responses.stored'],
    why: 'Deletes the stored responses of accounts that do not want them any more.',
  },
  {
    place: 'apps/console/src/notifications/announcements/mailings.repository.ts takeRecipients',
    kind: 'job',
    tables: ['accounts.announcement_recipients'],
    why: 'Takes the next accounts that get an announcement by mail.',
  },
  {
    place: 'apps/console/src/notifications/announcements/mailings.repository.ts findUnsubscribeCodes',
    kind: 'job',
    tables: ['accounts.mail_preferences'],
    why: 'Gives the accounts that get an announcement by mail their codes to unsubscribe.',
  },
  {
    place: 'apps/console/src/notifications/announcements/mailings.repository.ts deleteOldRecipients',
    kind: 'job',
    tables: ['accounts.announcement_recipients'],
    why: 'Forgets who got announcements by mail long ago.',
  },
  {
    place: 'apps/console/src/notifications/mail/outbox.repository.ts countWaitingMails',
    kind: 'job',
    tables: ['accounts.mail_outbox'],
    why: 'Announcements by mail wait for the mail server.',
  },
  {
    place: 'apps/console/src/billing/provider-events/provider-events.repository.ts emptyOldProviderEvents',
    kind: 'job',
    tables: ['billing.provider_events'],
    why: 'Empties what providers have signed of events that were closed long ago.',
  },
  {
    place: 'apps/console/src/billing/exports/exported-hours.repository.ts claimHour',
    kind: 'job',
    tables: ['metering.hourly_rollup', 'wallet.transfers'],
    why: 'The first hour of usage and ledger that is not exported.',
  },
  {
    place: 'apps/console/src/billing/exports/exported-hours.repository.ts readProgress',
    kind: 'job',
    tables: ['metering.hourly_rollup', 'wallet.transfers'],
    why: 'How long that hour has been over, and how many are to be exported, for staff and the metrics.',
  },
  {
    place: 'apps/console/src/billing/exports/export-rows.repository.ts readPage',
    kind: 'job',
    tables: ['metering.usage_events', 'wallet.entries', 'wallet.transfers'],
    why: 'Exports the usage of an hour, and the transfers that are no usage, for a warehouse.',
  },
  {
    place: 'apps/console/src/billing/exports/export-rows.repository.ts ledgerPages',
    kind: 'job',
    tables: ['wallet.entries', 'wallet.transfers'],
    why: 'Exports what the usage of an hour was debited.',
  },
  {
    place: 'apps/console/src/billing/exports/export-rows.repository.ts debitedAccounts',
    kind: 'job',
    tables: ['metering.hourly_rollup'],
    why: 'The accounts with usage in an hour that is exported.',
  },
  {
    place: 'apps/console/src/billing/exports/export-rows.repository.ts readHourBooks',
    kind: 'job',
    tables: ['metering.hourly_rollup', 'wallet.entries', 'wallet.transfers'],
    why: 'Compares an exported hour with rollup and ledger.',
  },
  {
    place: 'apps/console/src/billing/dashboard/margin.repository.ts readMargins',
    kind: 'report',
    tables: ['metering.margins'],
    why: 'Revenue, cost and margin of some days by day, model, upstream or account.',
  },
  {
    place: 'apps/console/src/billing/dashboard/margin.repository.ts readMargin',
    kind: 'report',
    tables: ['metering.margins'],
    why: 'Revenue, cost and margin of some days together.',
  },
  {
    place: 'apps/console/src/billing/dashboard/margin.repository.ts readSummedMargin',
    kind: 'report',
    tables: ['metering.margins'],
    why: 'The same for the dashboard, from sums of the days that have them.',
  },
  {
    place: 'libs/guards/src/credentials.repository.ts listSuspendedLately',
    kind: 'batch',
    tables: ['accounts.accounts', 'accounts.api_keys'],
    why: 'Names what was suspended within a day, for processes that have missed notifications.',
  },
  {
    place: 'apps/gateway/src/idempotency/idempotent-calls.repository.ts holdCalls',
    kind: 'batch',
    tables: ['metering.idempotent_calls'],
    why: 'Keeps the claims of the calls that one gateway works on.',
  },
  {
    place: 'apps/console/src/identity/api-keys/api-keys.repository.ts deleteEndedSecrets',
    kind: 'job',
    tables: ['accounts.former_key_secrets'],
    why: 'Deletes the secrets that rotations have replaced once they have ended.',
  },
  {
    place: 'apps/console/src/identity/api-keys/api-keys.repository.ts claimExpiringKeys',
    kind: 'job',
    tables: ['accounts.api_keys'],
    why: 'Keys whose owners are told that they will expire.',
  },
  {
    place: 'apps/gateway/src/limits/limits.repository.ts readOverrides',
    kind: 'job',
    tables: ['limits.overrides'],
    why: 'The limits that staff has set for accounts, which every gateway keeps in memory.',
  },
  {
    place: 'apps/agent/src/streams/stream-events.repository.ts appendDeltas',
    kind: 'batch',
    tables: ['agent.stream_events', 'agent.turns'],
    why: 'Stores the text that the running turns of one process have produced.',
  },
  {
    place: 'libs/guards/src/credentials.repository.ts findApiKey',
    kind: 'key',
    tables: ['accounts.accounts', 'accounts.api_keys'],
    why: 'Finds the account of an API key by its hash, under either secret while one replaces the other.',
  },
  {
    place: 'libs/guards/src/credentials.repository.ts findByFormerSecret',
    kind: 'key',
    tables: ['accounts.accounts', 'accounts.api_keys', 'accounts.former_key_secrets'],
    why: 'Finds the account of an API key by the hash of a secret that a rotation has replaced.',
  },
  {
    place: 'apps/memo/src/workspaces/keys/keys.repository.ts findKeyByHash',
    kind: 'key',
    tables: ['accounts.accounts', 'memo.keys', 'memo.members'],
    why: 'Finds the member whose workspace key it is by the hash, under either secret while one replaces the other.',
  },
  {
    place: 'apps/console/src/identity/sign-in/auth.service.ts login',
    kind: 'key',
    tables: ['accounts.accounts'],
    why: 'Finds the account of an e-mail address, phone number or username.',
  },
  {
    place: 'apps/console/src/notifications/mail/delivery/mail-composer.ts findAccount',
    kind: 'key',
    tables: ['accounts.accounts'],
    why: 'Finds the account of the identifier to which a mail was asked for.',
  },
  {
    place: 'libs/wallet/src/wallets.repository.ts readKeySpending',
    kind: 'key',
    tables: ['wallet.key_budgets'],
    why: 'The spending of the listed API keys, all of one account.',
  },
  {
    place: 'apps/console/src/billing/transactions/transaction-origin.ts readOrigins',
    kind: 'key',
    tables: ['billing.payments', 'billing.refunds'],
    why: 'The payments and refunds of a page of transactions of one account.',
  },
  {
    place: 'apps/console/src/billing/payments/refunds.repository.ts listRefunds',
    kind: 'key',
    tables: ['billing.refunds'],
    why: 'The refunds of a page of payments.',
  },
  {
    place: 'apps/memo/src/workspaces/members/members.service.ts',
    kind: 'key',
    tables: ['memo.members'],
    why: 'Counts and checks the members of one workspace, who are several accounts.',
  },
  {
    place: 'apps/memo/src/workspaces/invitations/invitations.service.ts requireRoom',
    kind: 'key',
    tables: ['memo.members'],
    why: 'Counts the members and open invitations of one workspace.',
  },
  {
    place: 'apps/memo/src/workspaces/invitations/invitations.service.ts',
    kind: 'key',
    tables: ['memo.members'],
    why: 'Finds the invitations of one workspace or one address, whose inviter is another account, and counts the members of a workspace.',
  },
  {
    place: 'apps/memo/src/workspaces/members/members.repository.ts listMembers',
    kind: 'key',
    tables: ['memo.members'],
    why: 'Lists the members of one workspace.',
  },
  {
    place: 'apps/memo/src/chat/feedback/feedback.repository.ts countFeedback',
    kind: 'key',
    tables: ['memo.feedback'],
    why: 'Counts the feedback of the members of one workspace for its admins.',
  },
  {
    place: 'apps/memo/src/workspaces/members/members.service.ts requireRemainingAdmin',
    kind: 'key',
    tables: ['memo.members'],
    why: 'Checks that a workspace keeps an admin.',
  },
  {
    place: 'apps/memo/src/documents/document-versions.repository.ts lockCitationsOfDocument',
    kind: 'key',
    tables: ['memo.citations'],
    why: 'Locks the citations of one document, in answers to several accounts of a workspace.',
  },
  {
    place: 'apps/agent/src/turns/turns.repository.ts findOrphanedTurns',
    kind: 'job',
    tables: ['agent.turns'],
    why: 'Turns whose process has died.',
  },
  {
    place: 'apps/agent/src/turns/turns.repository.ts findTurnsOfReplica',
    kind: 'job',
    tables: ['agent.turns'],
    why: 'Turns that the own process runs.',
  },
  {
    place: 'apps/agent/src/turns/turns.repository.ts findTurnsWithoutJob',
    kind: 'job',
    tables: ['agent.turns'],
    why: 'Turns whose job was lost.',
  },
  {
    place: 'apps/agent/src/streams/stream-events.repository.ts deleteExpiredStreamEvents',
    kind: 'job',
    tables: ['agent.stream_events', 'agent.turns'],
    why: 'Deletes the stream events of turns that ended long ago.',
  },
  {
    place: 'apps/console/src/notifications/low-balance/low-balance-alert.repository.ts claimLowWallets',
    kind: 'job',
    tables: ['wallet.wallets'],
    why: 'Finds balances below their thresholds. Reads all wallets.',
  },
  {
    place:
      'apps/console/src/notifications/low-balance/low-balance-alert.repository.ts enableSufficientWallets',
    kind: 'job',
    tables: ['wallet.wallets'],
    why: 'Finds balances that have risen again. Reads all wallets.',
  },
  {
    place: 'apps/console/src/notifications/mail/mail-tokens.repository.ts deleteOldMailTokens',
    kind: 'job',
    tables: ['accounts.mail_tokens'],
    why: 'Deletes old links of mails.',
  },
  {
    place: 'apps/console/src/notifications/mail/outbox.repository.ts deleteExpiredMails',
    kind: 'job',
    tables: ['accounts.mail_outbox'],
    why: 'Deletes mails that could not be sent.',
  },
  {
    place: 'apps/console/src/identity/sessions/sessions.repository.ts deleteExpiredSessions',
    kind: 'job',
    tables: ['accounts.sessions'],
    why: 'Deletes sessions that have ended.',
  },
  {
    place: 'apps/console/src/identity/sign-in/login-challenges.repository.ts deleteExpiredChallenges',
    kind: 'job',
    tables: ['accounts.login_challenges'],
    why: 'Deletes challenges for second factors.',
  },
  {
    place: 'apps/console/src/billing/idempotency/idempotency-keys.repository.ts deleteOldIdempotencyKeys',
    kind: 'job',
    tables: ['billing.idempotency_keys'],
    why: 'Deletes old keys.',
  },
  {
    place: 'apps/console/src/waiting-work/waiting-work.repository.ts readWaitingWork',
    kind: 'job',
    tables: [
      ...['accounts.mail_outbox', 'billing.documents', 'billing.invoice_requests', 'billing.payments'],
      ...['billing.provider_events', 'billing.refunds'],
    ],
    why: 'Counts what waits for providers and mail servers, by indexes of what waits; at most every few seconds for a scrape of the metrics.',
  },
  {
    place: 'apps/console/src/billing/dashboard/dashboard.repository.ts sumNextHours',
    kind: 'job',
    tables: ['metering.hourly_rollup', 'metering.unserved_calls', 'metering.usage_events'],
    why: 'Sums the next closed hours of the whole site for the dashboard.',
  },
  {
    place: 'apps/console/src/billing/dashboard/margin.repository.ts sumMargin',
    kind: 'job',
    tables: ['metering.margins'],
    why: 'Sums the margin of a closed day of the whole site for the dashboard.',
  },
  {
    place: 'apps/console/src/billing/dashboard/dashboard.repository.ts readUsage',
    kind: 'report',
    tables: ['billing.day_accounts', 'metering.hourly_usage'],
    why: 'The models and accounts with the highest cost of some days.',
  },
  {
    place: 'apps/console/src/billing/dashboard/dashboard.repository.ts readOthers',
    kind: 'report',
    tables: ['accounts.accounts', 'billing.payments', 'metering.unserved_calls'],
    why: 'Counts new accounts, failed payments, and failed and refused calls of some days.',
  },
  {
    place: 'apps/console/src/billing/dashboard/dashboard.repository.ts readLatency',
    kind: 'report',
    tables: ['metering.usage_events'],
    why: 'The mean time of the calls of an hour.',
  },
  {
    place: 'apps/console/src/catalogue/downloads/downloads.repository.ts readModelDownloads',
    kind: 'report',
    tables: ['catalogue.package_downloads'],
    why: 'Counts the downloads of each model in a period, and the accounts.',
  },
  {
    place: 'apps/router-cost/src/cost/cost.repository.ts readCostGroups',
    kind: 'report',
    tables: [
      ...['metering.account_daily_costs', 'metering.account_monthly_costs', 'metering.daily_rollup'],
      ...['metering.hourly_rollup', 'metering.monthly_rollup', 'metering.usage_events'],
    ],
    why: 'The cost report of all accounts, from months and days, and from hours at its ends.',
  },
  {
    place: 'libs/metering/src/archive/archived-days.repository.ts findArchivedHour',
    kind: 'report',
    tables: ['metering.hourly_rollup'],
    why: 'Whether a report would part an hour whose events are archived: of one account, or of all.',
  },
  ...DATABASE_STATEMENTS,
  ...OPERATOR_STATEMENTS,
  ...STAFF_STATEMENTS,
];
