/** @import { CrossingStatement } from './statement-scope.mjs' */

/** @type {CrossingStatement[]} */
export const STAFF_STATEMENTS = [
  {
    place: 'apps/console/src/billing/dashboard/unserved-report.repository.ts readUnservedReport',
    kind: 'admin',
    tables: ['metering.unserved_calls'],
    why: 'Counts refused and failed calls of all accounts for staff.',
  },
  {
    place: 'apps/console/src/notifications/announcements/announcements.repository.ts addressAccounts',
    kind: 'admin',
    tables: ['accounts.accounts', 'accounts.announcement_accounts'],
    why: 'Staff announces something to accounts that it names.',
  },
  {
    place: 'apps/console/src/notifications/announcements/announcements.repository.ts addressUsers',
    kind: 'admin',
    tables: ['accounts.announcement_accounts', 'metering.daily_rollup', 'metering.hourly_usage'],
    why: 'Staff announces something to the accounts that have used a model.',
  },
  {
    place: 'apps/console/src/notifications/announcements/announcements.repository.ts countAccounts',
    kind: 'admin',
    tables: ['accounts.announcement_accounts'],
    why: 'Counts for staff who is addressed by announcements and has dismissed them.',
  },
  {
    place: 'apps/console/src/notifications/announcements/mailings.repository.ts countRecipients',
    kind: 'admin',
    tables: [
      'accounts.accounts',
      'accounts.announcement_accounts',
      'accounts.mail_preferences',
      'metering.daily_rollup',
      'metering.hourly_usage',
    ],
    why: 'Staff asks how many accounts an announcement would reach by mail.',
  },
  {
    place: 'apps/console/src/notifications/announcements/mailings.repository.ts addMailing',
    kind: 'admin',
    tables: [
      'accounts.accounts',
      'accounts.announcement_accounts',
      'accounts.announcement_recipients',
      'accounts.mail_preferences',
      'metering.daily_rollup',
      'metering.hourly_usage',
    ],
    why: 'Staff sends an announcement by mail to the accounts that it addresses.',
  },
  {
    place: 'apps/console/src/notifications/mail/outbox.repository.ts deleteWaitingMails',
    kind: 'admin',
    tables: ['accounts.mail_outbox'],
    why: 'Staff stops an announcement by mail.',
  },
  {
    place: 'apps/console/src/identity/staff/staff.repository.ts listStaff',
    kind: 'admin',
    tables: ['accounts.accounts'],
    why: 'Everybody who has a role of the staff, for the review of rights.',
  },
  {
    place: 'apps/console/src/service-health/queues.repository.ts readUnfoldedUsage',
    kind: 'admin',
    tables: ['metering.unfolded_usage'],
    why: 'Counts the usage that waits, for the page of the health of the site.',
  },
  {
    place: 'apps/console/src/billing/requests/requests.repository.ts findOwnerOfRequest',
    kind: 'admin',
    tables: ['metering.unserved_calls', 'metering.usage_events'],
    why: 'Names the account of a call, for staff, by the id of the call.',
  },
  {
    place: 'apps/console/src/billing/requests/requests.repository.ts findCallsByClientId',
    kind: 'admin',
    tables: ['metering.client_request_ids'],
    why: 'Names the accounts of calls, for staff, by the id that their clients have given them.',
  },
  {
    place: 'apps/console/src/support/account-search/account-search.service.ts find',
    kind: 'admin',
    tables: ['accounts.api_keys'],
    why: 'Names the accounts of keys that begin so, for staff.',
  },
  {
    place: 'apps/console/src/support/account-search/account-search.repository.ts findKeysByHash',
    kind: 'admin',
    tables: ['accounts.api_keys', 'accounts.former_key_secrets'],
    why: 'Names the account of a key, for staff, by its secret or a former one.',
  },
  {
    place: 'apps/console/src/accounts/accounts.repository.ts lockAdmins',
    kind: 'admin',
    tables: ['accounts.accounts'],
    why: 'Locks all admins before a role changes, so that one is left.',
  },
  {
    place: 'apps/console/src/identity/admin-accounts/admin-accounts.service.ts views',
    kind: 'admin',
    tables: ['wallet.wallets'],
    why: 'The balances of a page of accounts.',
  },
  {
    place: 'apps/console/src/identity/admin-accounts/admin-accounts.service.ts list',
    kind: 'admin',
    tables: ['accounts.accounts'],
    why: 'Lists accounts, newest first, or searches them.',
  },
  {
    place: 'apps/console/src/accounts/audit-log/audit-log.service.ts listAll',
    kind: 'admin',
    tables: ['accounts.security_events'],
    why: 'Lists the security events of all accounts, newest first.',
  },
  {
    place: 'apps/console/src/billing/admin-payments/admin-payments.service.ts list',
    kind: 'admin',
    tables: ['billing.payments'],
    why: 'Lists payments, newest first.',
  },
  {
    place: 'apps/console/src/billing/provider-events/provider-events.service.ts list',
    kind: 'admin',
    tables: ['billing.payments', 'billing.provider_events'],
    why: 'Lists events of the payment providers with the accounts of their payments, newest first.',
  },
  {
    place: 'apps/console/src/billing/payments/refunds.repository.ts listRefundsNewestFirst',
    kind: 'admin',
    tables: ['billing.payments', 'billing.refunds'],
    why: 'Lists refunds, newest first.',
  },
];
