import { ARCHIVE_CHECKS, EVENTS, isDropped } from './archive-checks.repository';
import { type Check } from './check';
import { ROLLUP_CHECKS } from './rollup-checks.repository';

const PICOS_PER_HUNDREDTH = 10n ** 10n;

/** Transfers as (id, reference, kind, account_id, amount, counterpart), a row for each entry of another party. */
const TRANSFERS = `
  SELECT t.id, t.reference, t.kind, t.account_id, own.amount_picos AS amount, other.ledger_account AS counterpart
  FROM wallet.transfers t
  LEFT JOIN wallet.entries own ON own.transfer_id = t.id AND own.ledger_account = 'wallet:' || t.account_id
  LEFT JOIN wallet.entries other ON other.transfer_id = t.id AND other.ledger_account <> 'wallet:' || t.account_id`;

/** Refunds as (id, status, provider, account_id, amount). */
const REFUNDS = `
  SELECT r.id, r.status, p.provider, p.account_id, r.amount_minor * ${PICOS_PER_HUNDREDTH} AS amount
  FROM billing.refunds r JOIN billing.payments p ON p.id = r.payment_id`;

/** The invariants of the ledger, exact to the pico. A consistent database returns no row for any of them. */
export const CHECKS: Check[] = [
  {
    name: 'the entries of each transfer sum to zero',
    sql: `SELECT t.id, t.kind, coalesce(sum(e.amount_picos), 0)::text AS sum, count(e.amount_picos)::text AS entries
      FROM wallet.transfers t LEFT JOIN wallet.entries e ON e.transfer_id = t.id
      GROUP BY t.id HAVING coalesce(sum(e.amount_picos), 0) <> 0 OR count(e.amount_picos) < 2`,
  },
  {
    name: 'each balance is the sum of its entries, and never negative',
    sql: `SELECT w.account_id, w.balance_picos::text AS balance, coalesce(e.sum, 0)::text AS entries
      FROM wallet.wallets w LEFT JOIN (
        SELECT ledger_account, sum(amount_picos) AS sum FROM wallet.entries GROUP BY ledger_account
      ) e ON e.ledger_account = 'wallet:' || w.account_id
      WHERE w.balance_picos <> coalesce(e.sum, 0) OR w.balance_picos < 0`,
  },
  {
    name: 'the money set aside in each wallet is the sum of its leases',
    sql: `SELECT w.account_id, w.leased_picos::text AS leased, coalesce(l.sum, 0)::text AS leases
      FROM wallet.wallets w
      LEFT JOIN (SELECT account_id, sum(amount_picos) AS sum FROM wallet.leases GROUP BY account_id) l USING (account_id)
      WHERE w.leased_picos <> coalesce(l.sum, 0)`,
  },
  {
    name: 'the money set aside in each key budget is the sum of its leases',
    sql: `SELECT b.api_key_id, b.leased_picos::text AS leased, coalesce(l.sum, 0)::text AS leases
      FROM wallet.key_budgets b
      LEFT JOIN (SELECT api_key_id, sum(amount_picos) AS sum FROM wallet.leases GROUP BY api_key_id) l USING (api_key_id)
      WHERE b.leased_picos <> coalesce(l.sum, 0)`,
  },
  {
    name: 'what each key has spent is the cost of its events, within its limit',
    sql: `SELECT b.api_key_id, b.spent_picos::text AS spent, coalesce(e.sum, 0)::text AS events
      FROM wallet.key_budgets b
      LEFT JOIN (
        SELECT api_key_id, sum(cost_picos) AS sum FROM (
          SELECT api_key_id, cost_picos FROM ${EVENTS} raw
          UNION ALL
          SELECT api_key_id, cost_picos FROM metering.hourly_rollup WHERE ${isDropped('hour')}
        ) costs GROUP BY api_key_id
      ) e USING (api_key_id)
      WHERE b.spent_picos <> coalesce(e.sum, 0)
        OR (b.limit_changed_at IS NULL AND b.spent_picos > b.limit_picos)`,
  },
  {
    name: 'cost of events = rollup = usage debits, per account, model and hour',
    sql: `WITH events AS (
        SELECT account_id, model, date_trunc('hour', occurred_at, 'UTC') AS hour, sum(cost_picos) AS cost
        FROM ${EVENTS} raw GROUP BY 1, 2, 3
      ), rollup AS (
        SELECT account_id, model, hour, sum(cost_picos) AS cost FROM metering.hourly_rollup GROUP BY 1, 2, 3
      ), debits AS (
        SELECT t.account_id, t.model, t.hour, -sum(e.amount_picos) AS cost
        FROM wallet.transfers t
        JOIN wallet.entries e ON e.transfer_id = t.id AND e.ledger_account = 'wallet:' || t.account_id
        WHERE t.kind = 'usage' GROUP BY 1, 2, 3
      )
      SELECT account_id, model, hour, events.cost::text AS events, rollup.cost::text AS rollup, debits.cost::text AS debits
      FROM events FULL JOIN rollup USING (account_id, model, hour) FULL JOIN debits USING (account_id, model, hour)
      WHERE (events.cost IS DISTINCT FROM rollup.cost AND NOT ${isDropped('hour')})
        OR coalesce(debits.cost, 0) <> coalesce(rollup.cost, 0)`,
  },
  {
    name: 'tokens and costs of events = rollup (the cost report), per account, API key, model, entrypoint and hour',
    sql: `WITH events AS (
        SELECT account_id, coalesce(api_key_id, '') AS api_key_id, model, entrypoint,
          date_trunc('hour', occurred_at, 'UTC') AS hour, sum(input_tokens + output_tokens) AS tokens,
          sum(cost_picos) AS cost, sum(cost_usd_picos) AS usd
        FROM ${EVENTS} raw GROUP BY 1, 2, 3, 4, 5
      ), rollup AS (
        SELECT account_id, api_key_id, model, entrypoint, hour, sum(tokens) AS tokens, sum(cost_picos) AS cost,
          sum(cost_usd_picos) AS usd
        FROM metering.hourly_rollup GROUP BY 1, 2, 3, 4, 5
      )
      SELECT account_id, api_key_id, model, entrypoint, hour, events.tokens::text AS event_tokens,
        rollup.tokens::text AS rollup_tokens, events.cost::text AS event_cost, rollup.cost::text AS rollup_cost,
        events.usd::text AS event_usd, rollup.usd::text AS rollup_usd
      FROM events FULL JOIN rollup USING (account_id, api_key_id, model, entrypoint, hour)
      WHERE (events.tokens, events.cost, events.usd) IS DISTINCT FROM (rollup.tokens, rollup.cost, rollup.usd)
        AND NOT ${isDropped('hour')}`,
  },
  {
    name: 'each event costs its tokens at the prices of its price list',
    sql: `SELECT e.request_id, e.cost_picos::text AS cost, p.cost::text AS priced
      FROM ${EVENTS} e
      LEFT JOIN LATERAL (
        SELECT sum(m.rate_picos * CASE m.unit
          WHEN 'per_million_tokens' THEN e.input_tokens + e.output_tokens
          WHEN 'per_million_input_tokens' THEN e.input_tokens
          WHEN 'per_million_output_tokens' THEN e.output_tokens
          ELSE 1 END) AS cost
        FROM (
          SELECT rate_picos, unit FROM pricing.model_prices WHERE price_list_id = e.price_list_id AND slug = e.model
          UNION ALL
          SELECT token_rate_picos, 'per_million_tokens' FROM pricing.training_prices WHERE price_list_id = e.price_list_id
        ) m
      ) p ON true
      WHERE e.cost_picos IS DISTINCT FROM p.cost`,
  },
  {
    name: 'each request is recorded once',
    sql: `SELECT request_id, count(*)::text AS events FROM ${EVENTS} raw GROUP BY request_id HAVING count(*) > 1`,
  },
  // A record is written up to half a minute before its event: settlements do not run longer.
  {
    name: 'each record of training is one event of its tokens and cost',
    sql: `SELECT r.id AS record, e.request_id AS event, r.account_id, e.account_id AS billed, e.entrypoint,
        r.tokens::text AS tokens, e.tokens::text AS event_tokens, r.cost_picos::text AS cost, e.cost_picos::text AS event_cost
      FROM training.usage_records r FULL JOIN (
        SELECT request_id, account_id, entrypoint, input_tokens + output_tokens AS tokens, cost_picos
        FROM ${EVENTS} raw WHERE endpoint = 'training/usage'
      ) e ON e.request_id = r.event_id
      WHERE (r.account_id, 'training', r.tokens, r.cost_picos)
        IS DISTINCT FROM (e.account_id, e.entrypoint, e.tokens, e.cost_picos)
        AND NOT (e.request_id IS NULL AND (${isDropped('r.recorded_at')} OR ${isDropped("r.recorded_at + interval '1 minute'")}))`,
  },
  {
    name: 'what each training quota has used is the tokens of its records',
    sql: `SELECT account_id, q.used_tokens::text AS used, r.tokens::text AS records
      FROM training.quotas q
      FULL JOIN (SELECT account_id, sum(tokens) AS tokens FROM training.usage_records GROUP BY account_id) r USING (account_id)
      WHERE coalesce(q.used_tokens, 0) <> coalesce(r.tokens, 0)`,
  },
  {
    name: 'each paid payment is one top-up of its amount, and each top-up one paid payment',
    sql: `WITH paid AS (
        SELECT p.*, w.currency AS wallet_currency
        FROM billing.payments p JOIN wallet.wallets w USING (account_id) WHERE p.status = 'paid'
      ), topups AS (SELECT * FROM (${TRANSFERS}) t WHERE t.kind = 'topup')
      SELECT p.id AS payment, t.id AS transfer, t.reference, p.amount_minor::text AS hundredths, t.amount::text AS picos,
        p.account_id AS payer, t.account_id AS credited, p.provider, t.counterpart
      FROM paid p FULL JOIN topups t ON t.reference = 'payment:' || p.id
      WHERE (p.account_id, 'provider:' || p.provider, p.amount_minor * ${PICOS_PER_HUNDREDTH}, p.currency)
        IS DISTINCT FROM (t.account_id, t.counterpart, t.amount, p.wallet_currency)`,
  },
  {
    name: 'each refund has one transfer of its amount, and each failed refund also a reversal',
    sql: `WITH refunds AS (${REFUNDS}), expected AS (
        SELECT 'refund:' || id AS reference, account_id, 'provider:' || provider AS counterpart, -amount AS amount FROM refunds
        UNION ALL
        SELECT 'refund:' || id || ':reversal', account_id, 'provider:' || provider, amount FROM refunds WHERE status = 'failed'
      ), posted AS (SELECT * FROM (${TRANSFERS}) t WHERE t.reference LIKE 'refund:%')
      SELECT reference, t.id AS transfer, e.account_id AS payer, t.account_id AS moved, e.amount::text AS expected,
        t.amount::text AS posted, e.counterpart AS expected_counterpart, t.counterpart, t.kind
      FROM expected e FULL JOIN posted t USING (reference)
      WHERE (e.account_id, e.counterpart, e.amount, 'adjustment')
        IS DISTINCT FROM (t.account_id, t.counterpart, t.amount, t.kind)`,
  },
  {
    name: 'no payment gives back more than was paid',
    sql: `SELECT r.id AS refund, p.id AS payment, p.status, p.amount_minor::text AS paid, r.amount_minor::text AS refunded
      FROM billing.refunds r JOIN billing.payments p ON p.id = r.payment_id
      WHERE p.status <> 'paid' OR r.amount_minor > p.amount_minor`,
  },
  {
    name: 'what each provider owes the wallets is what was paid less what was refunded',
    sql: `WITH moved AS (
        SELECT 'provider:' || provider AS provider, amount_minor * ${PICOS_PER_HUNDREDTH} AS amount
        FROM billing.payments WHERE status = 'paid'
        UNION ALL
        SELECT 'provider:' || provider, -amount FROM (${REFUNDS}) r WHERE status <> 'failed'
      ), billed AS (SELECT provider, sum(amount) AS sum FROM moved GROUP BY provider), booked AS (
        SELECT ledger_account AS provider, -sum(amount_picos) AS sum
        FROM wallet.entries WHERE ledger_account LIKE 'provider:%' GROUP BY ledger_account
      )
      SELECT provider, billed.sum::text AS billed, booked.sum::text AS booked
      FROM billed FULL JOIN booked USING (provider) WHERE coalesce(billed.sum, 0) <> coalesce(booked.sum, 0)`,
  },
  ...ARCHIVE_CHECKS,
  ...ROLLUP_CHECKS,
];
