/** @import { CrossingStatement } from './statement-scope.mjs' */

/** Functions and views of the database. @type {CrossingStatement[]} */
export const DATABASE_STATEMENTS = [
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
    tables: ['metering.unfolded_margins', 'metering.unfolded_usage'],
    why: 'Finds the accounts with usage or margins that wait, and locks their wallets.',
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
    place: 'function metering.delete_old_client_request_ids',
    kind: 'job',
    tables: ['metering.client_request_ids'],
    why: 'Forgets the ids of clients after 90 days.',
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
    place: 'function memo.find_key',
    kind: 'key',
    tables: ['memo.keys'],
    why: 'Finds for staff whose a workspace key is, by the hash of its secret.',
  },
  {
    place: 'function memo.delete_leaked_key',
    kind: 'key',
    tables: ['memo.keys'],
    why: 'Deletes the workspace key that was found in public, by the hash of its secret.',
  },
  {
    place: 'function memo.member_emails',
    kind: 'key',
    tables: ['accounts.accounts', 'memo.members'],
    why: 'The addresses of the members of one workspace, who are several accounts.',
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
];
