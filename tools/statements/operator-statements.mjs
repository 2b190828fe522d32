/** @import { CrossingStatement } from './statement-scope.mjs' */

/** @type {CrossingStatement[]} */
export const OPERATOR_STATEMENTS = [
  {
    place: 'libs/metering/src/reconcile/checks.repository.ts',
    kind: 'operator',
    tables: [
      ...[
        'billing.day_accounts',
        'billing.payments',
        'billing.refunds',
        'metering.account_daily_costs',
        'metering.account_monthly_costs',
      ],
      ...[
        'metering.daily_rollup',
        'metering.hourly_rollup',
        'metering.monthly_rollup',
        'metering.usage_events',
      ],
      ...[
        'training.quotas',
        'training.usage_records',
        'wallet.entries',
        'wallet.key_budgets',
        'wallet.leases',
      ],
      ...['metering.uncharged_costs', 'metering.unfolded_usage', 'wallet.transfers', 'wallet.wallets'],
    ],
    why: '`npm run reconcile` compares all figures of all accounts.',
  },
  {
    place: 'function metering.forget_rollups',
    kind: 'operator',
    tables: [
      'billing.day_accounts',
      ...['metering.account_daily_costs', 'metering.account_monthly_costs', 'metering.daily_rollup'],
      'metering.monthly_rollup',
    ],
    why: 'Empties days and months, so that the hours are rolled up again.',
  },
  {
    place: 'libs/usage-archive/src/database/events.repository.ts hasEvents',
    kind: 'operator',
    tables: ['metering.usage_events'],
    why: 'Whether a day that is to be restored has events.',
  },
  {
    place: 'libs/usage-archive/src/database/events.repository.ts readRollup',
    kind: 'operator',
    tables: ['metering.hourly_rollup'],
    why: 'Compares a file of the archive, which is a range of accounts, with the usage of a day.',
  },
  {
    place: 'libs/usage-archive/src/database/events.repository.ts readRollupDays',
    kind: 'operator',
    tables: ['metering.hourly_rollup'],
    why: 'Compares the archive with the usage of each day.',
  },
];
