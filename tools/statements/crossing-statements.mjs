import { OPERATOR_STATEMENTS } from './operator-statements.mjs';
import { STAFF_STATEMENTS } from './staff-statements.mjs';

/**
 * The places whose statements cross accounts: `npm test` names those that are missing. `npm run docs:reference` writes them to
 * docs/reference/statements-across-accounts.md.
 *
 * @typedef {'job' | 'batch' | 'report' | 'admin' | 'key' | 'operator'} Kind
 * @typedef {{ place: string, kind: Kind, tables: string[], why: string }} CrossingStatement `place`: file and function, or `function` or
 *   `view`, and its name in the database
 */

/** @type {CrossingStatement[]} */
export const CROSSING_STATEMENTS = [
  {
    place: 'apps/console/src/notifications/announcements/mailings.repository.ts takeRecipients',
    kind: 'job',
    tables: ['accounts.announcement_recipients'],
    why: 'Takes the next accounts that get an announcement by mail.',
  },
  {
    place: 'apps/console/src/notifications/announcements/mailings.repository.ts lockUnsubscribeCodes',
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
    place: 'function metering.settle',
    kind: 'batch',
    tables: ['wallet.leases', 'wallet.wallets'],
    why: 'Locks the wallets and debits the leases of a batch of usage events of one gateway.',
  },
  {
    place: 'function metering.append',
    kind: 'batch',
    tables: ['wallet.leases'],
    why: 'Locks the leases of a batch of usage events of one gateway.',
  },
  {
    place: 'function metering.fold',
    kind: 'job',
    tables: ['metering.unfolded_usage'],
    why: 'Finds the accounts with usage that waits, and locks their wallets.',
  },
  {
    place: 'function metering.fold_accounts',
    kind: 'job',
    tables: ['metering.unfolded_margins', 'metering.unfolded_usage'],
    why: 'Adds what waits of these accounts to rollup, ledger, wallets and keys.',
  },
  {
    place: 'view metering.margins',
    kind: 'report',
    tables: ['metering.daily_margins', 'metering.unfolded_margins'],
    why: 'The margins of the days with what waits for them.',
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
    place: 'view metering.hourly_usage',
    kind: 'report',
    tables: ['metering.hourly_rollup', 'metering.unfolded_usage'],
    why: 'The hourly rollup with what waits for it. Its readers name the account.',
  },
  {
    place: 'view wallet.balances',
    kind: 'report',
    tables: ['wallet.wallets'],
    why: 'The wallets with all usage debited. Its readers name the account.',
  },
  {
    place: 'view wallet.key_spending',
    kind: 'report',
    tables: ['wallet.key_budgets'],
    why: 'What keys have spent with all usage counted. Its readers name the keys.',
  },
  {
    place: 'libs/guards/src/credentials.repository.ts listSuspendedLately',
    kind: 'batch',
    tables: ['accounts.accounts', 'accounts.api_keys'],
    why: 'Names what was suspended within a day, for processes that have missed notifications.',
  },
  {
    place: 'function metering.refuse_settlement',
    kind: 'batch',
    tables: ['metering.refused_requests', 'metering.usage_events'],
    why: 'Refuses a batch of usage events of one gateway, unless they were settled.',
  },
  {
    place: 'function metering.delete_old_settlements',
    kind: 'job',
    tables: ['metering.refused_requests'],
    why: 'Deletes refusals after 30 days.',
  },
  {
    place: 'function metering.delete_old_idempotent_calls',
    kind: 'job',
    tables: ['metering.idempotent_calls'],
    why: 'Forgets idempotency keys after a day.',
  },
  {
    place: 'apps/gateway/src/idempotency/idempotent-calls.repository.ts holdCalls',
    kind: 'batch',
    tables: ['metering.idempotent_calls'],
    why: 'Keeps the claims of the calls that one gateway works on.',
  },
  {
    place: 'function limits.delete_unused',
    kind: 'job',
    tables: ['limits.subjects'],
    why: 'Deletes what nobody has drawn from for two days.',
  },
  {
    place: 'function limits.delete_old_uses',
    kind: 'job',
    tables: ['limits.day_uses'],
    why: 'Forgets the use of limits after 92 days.',
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
    place: 'function metering.cover_short_events',
    kind: 'batch',
    tables: ['wallet.leases'],
    why: 'Finds the leases of a batch that do not cover its events.',
  },
  {
    place: 'function wallet.renew_leases',
    kind: 'batch',
    tables: ['wallet.leases'],
    why: 'Extends the leases of one gateway.',
  },
  {
    place: 'apps/agent/src/streams/stream-events/stream-events.repository.ts appendDeltas',
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
    place: 'function memo.delete_leaked_key',
    kind: 'key',
    tables: ['memo.keys'],
    why: 'Deletes the workspace key that was found in public, by the hash of its secret.',
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
    place: 'function memo.member_emails',
    kind: 'key',
    tables: ['accounts.accounts', 'memo.members'],
    why: 'The addresses of the members of one workspace, who are several accounts.',
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
    place: 'apps/agent/src/streams/stream-events/stream-events.repository.ts deleteExpiredStreamEvents',
    kind: 'job',
    tables: ['agent.stream_events', 'agent.turns'],
    why: 'Deletes the stream events of turns that ended long ago.',
  },
  {
    place: 'function metering.roll_up_hours',
    kind: 'job',
    tables: [
      ...['metering.account_daily_costs', 'metering.daily_rollup', 'metering.hourly_rollup'],
      'metering.unfolded_usage',
    ],
    why: 'Adds closed hours to days and months, once an hour.',
  },
  {
    place: 'view scheduling.scheduled_rows',
    kind: 'job',
    tables: ['accounts.mail_outbox', 'billing.invoice_requests', 'billing.payments', 'billing.refunds'],
    why: 'The rows that are due, by indexes of the due ones. `scheduling.reschedule_lost` finds those that have lost their job.',
  },
  {
    place: 'function wallet.reclaim_expired_leases',
    kind: 'job',
    tables: ['wallet.leases'],
    why: 'Returns the leases of gateways that have died, by an index of the expiry.',
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
    place: 'apps/console/src/billing/dashboard/dashboard.repository.ts nextDay',
    kind: 'job',
    tables: ['metering.hourly_rollup'],
    why: 'The first day of usage that is not summed for the dashboard.',
  },
  {
    place: 'apps/console/src/billing/dashboard/dashboard.repository.ts sumDay',
    kind: 'job',
    tables: ['metering.hourly_rollup', 'metering.unserved_calls', 'metering.usage_events'],
    why: 'Sums a closed day of the whole site for the dashboard.',
  },
  {
    place: 'apps/console/src/billing/dashboard/dashboard.repository.ts readModels',
    kind: 'report',
    tables: ['metering.hourly_usage'],
    why: 'The models with the highest cost of some days.',
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
    place: 'apps/console/src/billing/dashboard/dashboard.repository.ts readAccounts',
    kind: 'report',
    tables: ['billing.day_accounts', 'metering.hourly_usage'],
    why: 'The accounts with the highest cost of some days.',
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
  ...OPERATOR_STATEMENTS,
  ...STAFF_STATEMENTS,
];
