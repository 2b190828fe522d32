/** What is falsified, the statement that does it, and parts of the names of the checks that find it. */
export const FALSIFICATIONS: [string, string, string[]][] = [
  [
    'an entry',
    `UPDATE wallet.entries SET amount_picos = amount_picos + 1 WHERE ledger_account = 'revenue:usage'`,
    ['entries of each transfer'],
  ],
  ['a balance', 'UPDATE wallet.wallets SET balance_picos = balance_picos + 1', ['each balance']],
  ['a lease', 'UPDATE wallet.leases SET amount_picos = amount_picos - 1', ['aside in each wallet']],
  [
    'the cost of usage that waits',
    'UPDATE metering.unfolded_usage SET cost_picos = cost_picos + 1',
    ['aside in each wallet', 'what each key has spent', 'cost of events', 'tokens and costs'],
  ],
  [
    'lost usage that waits',
    'DELETE FROM metering.unfolded_usage',
    ['aside in each wallet', 'what each key has spent', 'cost of events', 'tokens and costs'],
  ],
  [
    'usage that waits and was set aside from no limit',
    'UPDATE metering.unfolded_usage SET limited_picos = cost_picos',
    ['aside in each key budget'],
  ],
  ['a key budget', 'UPDATE wallet.key_budgets SET leased_picos = 1', ['aside in each key budget']],
  [
    "a key's spending",
    'UPDATE wallet.key_budgets SET spent_picos = spent_picos + 1',
    ['what each key has spent'],
  ],
  [
    "a key's overspending",
    'UPDATE wallet.key_budgets SET limit_picos = spent_picos - 1',
    ['what each key has spent'],
  ],
  [
    'the API key of the rollup',
    "UPDATE metering.hourly_rollup SET api_key_id = 'key_other' WHERE entrypoint = 'gateway'",
    ['tokens and costs'],
  ],
  [
    "the rollup's cost",
    'UPDATE metering.hourly_rollup SET cost_picos = cost_picos - 1',
    ['cost of events', 'tokens and costs'],
  ],
  ["the rollup's tokens", 'UPDATE metering.hourly_rollup SET tokens = tokens + 1', ['tokens and costs']],
  [
    "an event's tokens",
    'UPDATE metering.usage_events SET input_tokens = 9',
    ['tokens and costs', 'prices of its price list'],
  ],
  [
    "a training's cost",
    'UPDATE pricing.training_prices SET token_rate_picos = token_rate_picos + 1',
    ['prices of its price list'],
  ],
  ...[
    ['rate', 'rate_picos', '"101"'],
    ['quantity', 'quantity', '62'],
    ['cost', 'cost_picos', '101'],
    ['unit', 'unit', '"per_request"'],
    ['price', 'price', '3'],
  ].map(([what, field, value]): [string, string, string[]] => [
    `the ${what} of a line`,
    `UPDATE metering.usage_events SET lines = jsonb_set(lines, '{1,${field}}', '${value}') WHERE request_id = 'req_2'`,
    ['each line of an event costs'],
  ]),
  ...['tokens', 'cost_usd_picos'].map((field): [string, string, string[]] => [
    `the ${field} of a line`,
    `UPDATE metering.usage_events SET lines = jsonb_set(lines, '{1,${field}}', '1') WHERE request_id = 'req_2'`,
    ['the lines of each event add up'],
  ]),
  ...[
    ['cost of a margin', 'daily_margins SET cost_picos = cost_picos + 1'],
    ['revenue of a margin', 'daily_margins SET revenue_picos = revenue_picos - 1'],
    ['calls of a margin without a cost', 'daily_margins SET uncosted_calls = 0'],
    ['cost of a margin that waits', 'unfolded_margins SET cost_picos = 0'],
    ['upstream of a margin', "daily_margins SET upstream = 'w' WHERE upstream = 'v'"],
    [
      'upstream cost of a call that nobody was charged for',
      'uncharged_costs SET cost_picos = cost_picos + 1',
    ],
    ['upstream cost of an event', `usage_events SET upstream_costs = '[]' WHERE request_id = 'req_1'`],
  ].map(([what, change]): [string, string, string[]] => [
    `the ${what}`,
    `UPDATE metering.${change}`,
    ['revenue and upstream cost'],
  ]),
  ['a lost margin that waits', 'DELETE FROM metering.unfolded_margins', ['revenue and upstream cost']],
  [
    'a lost event',
    'DELETE FROM metering.usage_events',
    ['what each key', 'cost of events', 'tokens and costs'],
  ],
  [
    'an event recorded twice',
    `INSERT INTO metering.usage_events SELECT (jsonb_populate_record(e, jsonb_build_object('occurred_at', e.occurred_at + interval '1 microsecond'))).*
     FROM metering.usage_events e`,
    ['recorded once'],
  ],
  [
    'a lost training record',
    'DELETE FROM training.usage_records',
    ['each record of training', 'what each training quota'],
  ],
  [
    "a training's event that is said to be another's",
    "UPDATE metering.usage_events SET entrypoint = 'gateway' WHERE request_id = 'trn_1'",
    ['each record of training', 'tokens and costs'],
  ],
  [
    'a wrong used quota',
    'UPDATE training.quotas SET used_tokens = used_tokens - 1',
    ['what each training quota'],
  ],
  [
    'a credit without a payment',
    "DELETE FROM billing.payments WHERE id = 'pay_plain'",
    ['each paid payment', 'what each provider owes'],
  ],
  [
    'a payment that was not credited',
    `UPDATE billing.payments SET status = 'paid', paid_at = now(), provider_reference = 'r' WHERE id = 'pay_expired'`,
    ['each paid payment', 'what each provider owes'],
  ],
  [
    'a credit for a failed payment',
    "UPDATE billing.payments SET status = 'failed', paid_at = NULL WHERE id = 'pay_plain'",
    ['each paid payment', 'what each provider owes'],
  ],
  [
    "a payment's amount",
    "UPDATE billing.payments SET amount_minor = amount_minor + 1 WHERE id = 'pay_plain'",
    ['each paid payment', 'what each provider owes'],
  ],
  [
    "a payment's currency",
    "UPDATE billing.payments SET currency = 'CNY' WHERE id = 'pay_plain'",
    ['each paid payment'],
  ],
  [
    "a payment's provider",
    "UPDATE billing.payments SET provider = 'wallet_pay_provider' WHERE id = 'pay_plain'",
    ['each paid payment', 'what each provider owes'],
  ],
  [
    "a payment's account",
    `WITH other AS (INSERT INTO accounts.accounts (id, email) VALUES ('acct_other', 'o@example.com') RETURNING id),
       wallet AS (INSERT INTO wallet.wallets (account_id, currency) SELECT id, 'USD' FROM other RETURNING account_id)
     UPDATE billing.payments SET account_id = wallet.account_id FROM wallet WHERE id = 'pay_plain'`,
    ['each paid payment'],
  ],
  [
    "a top-up's kind",
    "UPDATE wallet.transfers SET kind = 'adjustment' WHERE reference = 'payment:pay_plain'",
    ['each paid payment'],
  ],
  [
    'a payment that was credited twice',
    `WITH twice AS (
       INSERT INTO wallet.transfers (id, kind, account_id, reference, description)
       SELECT 'txn_twice', kind, account_id, reference || ' again', description
       FROM wallet.transfers WHERE reference = 'payment:pay_plain' RETURNING id)
     INSERT INTO wallet.entries SELECT twice.id, e.ledger_account, e.amount_picos
     FROM twice, wallet.entries e JOIN wallet.transfers t ON t.id = e.transfer_id WHERE t.reference = 'payment:pay_plain'`,
    ['each paid payment', 'what each provider owes', 'each balance'],
  ],
  ...['pending', 'succeeded', 'failed'].map((status): [string, string, string[]] => [
    `the amount of a refund that is ${status}`,
    `UPDATE billing.refunds SET amount_minor = 499 WHERE id = 'rfd_${status}'`,
    ['each refund', ...(status === 'failed' ? [] : ['what each provider owes'])],
  ]),
  [
    'a refund without a debit of the wallet',
    `UPDATE wallet.transfers SET reference = 'adjustment:x' WHERE reference = 'refund:rfd_succeeded'`,
    ['each refund'],
  ],
  [
    'a failed refund without a reversal',
    "UPDATE billing.refunds SET status = 'failed' WHERE id = 'rfd_succeeded'",
    ['each refund', 'what each provider owes'],
  ],
  [
    'a successful refund with a reversal',
    "UPDATE billing.refunds SET status = 'succeeded' WHERE id = 'rfd_failed'",
    ['each refund', 'what each provider owes'],
  ],
  [
    "a refund's kind",
    "UPDATE wallet.transfers SET kind = 'topup' WHERE reference = 'refund:rfd_pending'",
    ['each refund', 'each paid payment'],
  ],
  [
    'a debit for a refund that does not exist',
    "DELETE FROM billing.refunds WHERE id = 'rfd_pending'",
    ['each refund', 'what each provider owes'],
  ],
  [
    'a refund that exceeds its payment',
    "UPDATE billing.payments SET amount_minor = 499 WHERE id = 'pay_pending_refund'",
    ['no payment gives back more'],
  ],
  [
    'a refund of an unpaid payment',
    "UPDATE billing.payments SET status = 'expired', paid_at = NULL WHERE id = 'pay_pending_refund'",
    ['no payment gives back more'],
  ],
  [
    "a provider's entry",
    `UPDATE wallet.entries SET ledger_account = 'equity:adjustments' WHERE ledger_account = 'provider:card_provider'
     AND transfer_id = (SELECT id FROM wallet.transfers WHERE reference = 'payment:pay_plain')`,
    ['each paid payment', 'what each provider owes'],
  ],
  [
    'a manifest that is not the recorded one',
    "INSERT INTO metering.archived_days (day, manifest, manifest_sha256) VALUES ('2026-01-01T00:00:00Z', '{', 'x')",
    ['the manifest of each archived day is'],
  ],
  [
    'an archived day whose sums the rollup has not got',
    `INSERT INTO metering.archived_days (day, manifest, manifest_sha256)
     SELECT '2026-01-01T00:00:00Z', m, encode(sha256(m::bytea), 'hex') FROM (VALUES (
       '{"files": [{"name": "f", "first_account_id": "a", "last_account_id": "a", "input_tokens": "0", "output_tokens": "0", "cost_picos": "1", "cost_usd_picos": "0"}]}'
     )) v(m)`,
    ['the manifest of each archived day ='],
  ],
  ...[
    ['cost', '1, 0'],
    ['change of balances', '0, 1'],
  ].map(([what, sums]): [string, string, string[]] => [
    `an exported hour with another ${what}`,
    `INSERT INTO billing.exported_hours (hour, claim, due_at, exported_at, manifest, usage_rows, usage_line_rows, ledger_rows, bytes,
       cost_picos, ledger_picos)
     VALUES ('2020-01-01T00:00:00Z', '', now(), now(), '{}', 0, 0, 0, 0, ${sums})`,
    ['each exported hour'],
  ]),
  [
    'an hour that is not rolled up',
    "UPDATE metering.rollup_progress SET rolled_until = now() + interval '1 hour'",
    ['daily rollup =', 'account daily costs', 'site hourly costs', 'site daily costs'],
  ],
  [
    'a day that is not rolled up',
    "UPDATE metering.rollup_progress SET rolled_until = now() + interval '1 day'",
    ['monthly rollup', 'account monthly costs', 'site monthly costs'],
  ],
  ...['daily', 'monthly'].map((period): [string, string, string[]] => [
    `usage in the ${period} rollup that no hour has`,
    `INSERT INTO metering.${period}_rollup VALUES (now(), 'a', 'm', 'gateway', 'per_request', '', 1, 0, 0, 0)`,
    [`${period} rollup =`],
  ]),
  ...[
    ['models of an hour', 'hour_models', "now(), 'm', 1, 0, 0", 'models of each hour'],
    ['models of a day', 'day_models', "now(), 'm', 1, 0, 0", 'models of each day'],
    ['accounts of a day', 'day_accounts', "now(), 'a', 1, now()", 'accounts of each day'],
    ['margin of a day', 'day_margins', 'now(), 1, 0, 0, 0, 0', 'each margin that is summed'],
  ].map(([what, table, values, check]): [string, string, string[]] => [
    `a sum of the dashboard of the ${what} that nothing adds up to`,
    `INSERT INTO billing.${table} VALUES (${values})`,
    [check!],
  ]),
  [
    'hours that are not summed for the dashboard',
    `INSERT INTO billing.hour_models SELECT min(hour), 'm', 1, 1, 1 FROM metering.hourly_rollup;
     UPDATE billing.figures_progress SET summed_until = now() + interval '1 day'`,
    ['models of each hour', 'models of each day', 'accounts of each day'],
  ],
  ...['account_daily', 'account_monthly', 'site_hourly', 'site_daily', 'site_monthly'].map(
    (period): [string, string, string[]] => [
      `a cost in ${period}_costs that no hour has`,
      `INSERT INTO metering.${period}_costs VALUES (now(), ${period.startsWith('account') ? "'a'," : ''} 'm', 'gateway', 0, 1)`,
      [`${period.replace('_', ' ')} costs`],
    ],
  ),
];
