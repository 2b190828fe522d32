import { type Database } from '@inference/database';
import { MODEL_PRICES } from '../pricing/prices.repository';

/** One invariant of the ledger. */
export interface Check {
  name: string;
  /** Returns one row per violation, with columns that help to find it. */
  sql: string;
}

/** The days whose events are only in the archive. They count by their manifests from the moment on in which this is recorded. */
const DROPPED_DAYS = 'SELECT day FROM metering.archived_days WHERE dropped_at IS NOT NULL';

/** Whether the day of a time is one of them. */
const isDropped = (at: string): string => `date_trunc('day', ${at}, 'UTC') IN (${DROPPED_DAYS})`;

/** The events that count by themselves, as rows of `usage_events`. */
const EVENTS = `(SELECT * FROM metering.usage_events WHERE NOT ${isDropped('occurred_at')})`;

/** The parts of an event. */
const LINES = `jsonb_to_recordset(e.lines) AS l(meter text, unit text, quantity numeric, tokens numeric, rate_picos numeric, price integer,
        cost_picos numeric, cost_usd_picos numeric)`;

const UNALTERED = "encode(sha256(convert_to(d.manifest, 'UTF8')), 'hex') = d.manifest_sha256";

/** The manifests whose text is the recorded one, as (day, manifest). Others may be no JSON. */
const MANIFESTS = `SELECT day, CASE WHEN ${UNALTERED} THEN manifest::jsonb END AS manifest FROM metering.archived_days d`;

/**
 * The archive of usage events. That the events of a day are in no database and in no archive shows in the other checks: the rollup has
 * usage then that no event has.
 */
const ARCHIVE_CHECKS: Check[] = [
  {
    name: 'the manifest of each archived day is the recorded one',
    sql: `SELECT d.day, d.manifest_sha256 FROM metering.archived_days d WHERE NOT ${UNALTERED}`,
  },
  {
    name: 'the manifest of each archived day = its rollup, per range of accounts',
    sql: `WITH files AS (
        SELECT d.day, f.* FROM (${MANIFESTS}) d CROSS JOIN jsonb_to_recordset(d.manifest -> 'files') AS f(name text,
          first_account_id text, last_account_id text, input_tokens numeric, output_tokens numeric, cost_picos numeric,
          cost_usd_picos numeric)
      ), accounts AS (
        SELECT date_trunc('day', hour, 'UTC') AS day, account_id COLLATE "C" AS account_id, sum(tokens) AS tokens,
          sum(cost_picos) AS cost, sum(cost_usd_picos) AS usd
        FROM metering.hourly_rollup WHERE date_trunc('day', hour, 'UTC') IN (SELECT day FROM metering.archived_days)
        GROUP BY 1, 2
      ), rollup AS (
        SELECT a.day, f.name, sum(a.tokens) AS tokens, sum(a.cost) AS cost, sum(a.usd) AS usd
        FROM accounts a LEFT JOIN files f
          ON f.day = a.day AND a.account_id >= f.first_account_id COLLATE "C" AND a.account_id <= f.last_account_id COLLATE "C"
        GROUP BY 1, 2
      )
      SELECT day, name AS file, (f.input_tokens + f.output_tokens)::text AS file_tokens, r.tokens::text AS rollup_tokens,
        f.cost_picos::text AS file_cost, r.cost::text AS rollup_cost, f.cost_usd_picos::text AS file_usd, r.usd::text AS rollup_usd
      FROM files f FULL JOIN rollup r USING (day, name)
      WHERE (f.input_tokens + f.output_tokens, f.cost_picos, f.cost_usd_picos) IS DISTINCT FROM (r.tokens, r.cost, r.usd)`,
  },
];

const SUMS = ['quantity', 'tokens', 'cost_picos', 'cost_usd_picos'];
const COST_SUMS = ['tokens', 'cost_usd_picos'];
const USAGE_KEY = ['account_id', 'model', 'entrypoint', 'unit', 'api_key_id'];
const ACCOUNT_KEY = ['account_id', 'model', 'entrypoint'];
const SITE_KEY = ['model', 'entrypoint'];

interface RolledTable {
  table: string;
  time: 'hour' | 'day' | 'month';
  key: string[];
  sums: string[];
}

const ROLLED_TABLES: RolledTable[] = [
  { table: 'daily_rollup', time: 'day', key: USAGE_KEY, sums: SUMS },
  { table: 'monthly_rollup', time: 'month', key: USAGE_KEY, sums: SUMS },
  { table: 'account_daily_costs', time: 'day', key: ACCOUNT_KEY, sums: COST_SUMS },
  { table: 'account_monthly_costs', time: 'month', key: ACCOUNT_KEY, sums: COST_SUMS },
  { table: 'site_hourly_costs', time: 'hour', key: SITE_KEY, sums: COST_SUMS },
  { table: 'site_daily_costs', time: 'day', key: SITE_KEY, sums: COST_SUMS },
  { table: 'site_monthly_costs', time: 'month', key: SITE_KEY, sums: COST_SUMS },
];

/** Compares the table with the hours that are rolled up; a month with the hours of its days that have ended. */
function sumCheck({ table, time, key, sums }: RolledTable): Check {
  const all = [time, ...key].join(', ');
  const totals = sums.map((sum) => `sum(${sum}) AS ${sum}`).join(', ');
  const of = (source: string) => sums.map((sum) => `${source}.${sum}`).join(', ');
  const shown = ['rolled', 'hours'].flatMap((source) =>
    sums.map((sum) => `${source}.${sum}::text AS ${source}_${sum}`),
  );
  const end = time === 'month' ? "date_trunc('day', rolled_until, 'UTC')" : 'rolled_until';
  return {
    name: `${table.replaceAll('_', ' ')} = sums of the hourly rollup`,
    sql: `WITH hours AS (
        SELECT date_trunc('${time}', hour, 'UTC') AS ${time}, ${key.join(', ')}, ${totals}
        FROM metering.hourly_rollup WHERE hour < (SELECT ${end} FROM metering.rollup_progress) GROUP BY 1, ${key.join(', ')}
      )
      SELECT ${all}, ${shown.join(', ')}
      FROM metering.${table} rolled FULL JOIN hours USING (${all})
      WHERE (${of('rolled')}) IS DISTINCT FROM (${of('hours')})`,
  };
}

/** Days and months are what the hours add up to, so that reports show the same sums whatever they read. */
export const ROLLUP_CHECKS: Check[] = ROLLED_TABLES.map(sumCheck);

const CALLS = 'CASE WHEN bool_and(calls IS NOT NULL) THEN sum(calls)::bigint END AS calls';
/** Days before the first one were too old to be summed. */
const SUMMED_HOURS = `metering.hourly_rollup WHERE hour >= (SELECT date_trunc('day', min(hour), 'UTC') FROM billing.hour_models)
          AND hour < (SELECT summed_until FROM billing.figures_progress)`;
const SUMMED_DAYS = "(SELECT date_trunc('day', summed_until, 'UTC') FROM billing.figures_progress)";

/** The sums that the dashboard reads in place of hours and margins. */
const FIGURES_CHECKS: Check[] = [
  {
    name: 'the models of each hour that is summed for the dashboard = the hourly rollup',
    sql: `WITH hours AS (
        SELECT hour, model, ${CALLS}, sum(tokens) AS tokens, sum(cost_picos) AS cost_picos FROM ${SUMMED_HOURS} GROUP BY 1, 2
      )
      SELECT hour, model, s.calls::text AS summed_calls, h.calls::text AS calls, s.tokens::text AS summed_tokens,
        h.tokens::text AS tokens, s.cost_picos::text AS summed_cost, h.cost_picos::text AS cost
      FROM billing.hour_models s FULL JOIN hours h USING (hour, model)
      WHERE (s.calls, s.tokens, s.cost_picos) IS DISTINCT FROM (h.calls, h.tokens, h.cost_picos)`,
  },
  {
    name: 'the models of each day that is summed for the dashboard = those of its hours',
    sql: `WITH hours AS (
        SELECT date_trunc('day', hour, 'UTC') AS day, model, ${CALLS}, sum(tokens) AS tokens, sum(cost_picos) AS cost_picos
        FROM billing.hour_models WHERE hour < ${SUMMED_DAYS} GROUP BY 1, 2
      )
      SELECT day, model, s.calls::text AS summed_calls, h.calls::text AS calls, s.tokens::text AS summed_tokens,
        h.tokens::text AS tokens, s.cost_picos::text AS summed_cost, h.cost_picos::text AS cost
      FROM billing.day_models s FULL JOIN hours h USING (day, model)
      WHERE (s.calls, s.tokens, s.cost_picos) IS DISTINCT FROM (h.calls, h.tokens, h.cost_picos)`,
  },
  {
    name: 'the accounts of each day that is summed for the dashboard = the hourly rollup',
    sql: `WITH hours AS (
        SELECT date_trunc('day', hour, 'UTC') AS day, account_id, min(hour) AS first_hour, sum(cost_picos) AS cost_picos
        FROM ${SUMMED_HOURS} GROUP BY 1, 2
      )
      SELECT day, account_id, s.first_hour AS summed_first_hour, h.first_hour, s.cost_picos::text AS summed_cost, h.cost_picos::text AS cost
      FROM billing.day_accounts s FULL JOIN hours h USING (day, account_id)
      WHERE (s.first_hour, s.cost_picos) IS DISTINCT FROM (h.first_hour, h.cost_picos)`,
  },
  {
    name: 'each margin that is summed for the dashboard = the margins of its day',
    sql: `SELECT s.day, s.calls::text AS summed_calls, m.calls::text AS calls, s.uncosted_calls::text AS summed_uncosted,
        m.uncosted_calls::text AS uncosted, s.revenue_picos::text AS summed_revenue, m.revenue_picos::text AS revenue,
        s.cost_picos::text AS summed_cost, m.cost_picos::text AS cost
      FROM billing.day_margins s CROSS JOIN LATERAL (
        SELECT coalesce(sum(calls), 0) AS calls, coalesce(sum(uncosted_calls), 0) AS uncosted_calls,
          coalesce(sum(revenue_picos), 0) AS revenue_picos, coalesce(sum(uncosted_revenue_picos), 0) AS uncosted_revenue_picos,
          coalesce(sum(cost_picos), 0) AS cost_picos
        FROM metering.margins WHERE day = s.day
      ) m
      WHERE (s.calls, s.uncosted_calls, s.revenue_picos, s.uncosted_revenue_picos, s.cost_picos)
        IS DISTINCT FROM (m.calls, m.uncosted_calls, m.revenue_picos, m.uncosted_revenue_picos, m.cost_picos)`,
  },
];

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
    name: 'the money set aside in each wallet is the sum of its leases and of the usage that waits to be folded',
    sql: `SELECT w.account_id, w.leased_picos::text AS leased, coalesce(l.sum, 0)::text AS leases,
        coalesce(u.sum, 0)::text AS unfolded
      FROM wallet.wallets w
      LEFT JOIN (SELECT account_id, sum(amount_picos) AS sum FROM wallet.leases GROUP BY account_id) l USING (account_id)
      LEFT JOIN (SELECT account_id, sum(cost_picos) AS sum FROM metering.unfolded_usage GROUP BY account_id) u USING (account_id)
      WHERE w.leased_picos <> coalesce(l.sum, 0) + coalesce(u.sum, 0)`,
  },
  {
    name: 'the money set aside in each key budget is the sum of its leases and of the usage that waits to be folded',
    sql: `SELECT b.api_key_id, b.leased_picos::text AS leased, coalesce(l.sum, 0)::text AS leases,
        coalesce(u.sum, 0)::text AS unfolded
      FROM wallet.key_budgets b
      LEFT JOIN (SELECT api_key_id, sum(amount_picos) AS sum FROM wallet.leases GROUP BY api_key_id) l USING (api_key_id)
      LEFT JOIN (SELECT api_key_id, sum(limited_picos) AS sum FROM metering.unfolded_usage GROUP BY api_key_id) u USING (api_key_id)
      WHERE b.leased_picos <> coalesce(l.sum, 0) + coalesce(u.sum, 0)`,
  },
  {
    name: 'what each key has spent is the cost of its events, within its limit',
    sql: `SELECT b.api_key_id, s.spent_picos::text AS spent, coalesce(e.sum, 0)::text AS events
      FROM wallet.key_budgets b JOIN wallet.key_spending s USING (api_key_id)
      LEFT JOIN (
        SELECT api_key_id, sum(cost_picos) AS sum FROM (
          SELECT api_key_id, cost_picos FROM ${EVENTS} raw
          UNION ALL
          SELECT api_key_id, cost_picos FROM metering.hourly_rollup WHERE ${isDropped('hour')}
        ) costs GROUP BY api_key_id
      ) e USING (api_key_id)
      WHERE s.spent_picos <> coalesce(e.sum, 0)
        OR (b.limit_changed_at IS NULL AND s.counted_picos > b.limit_picos)`,
  },
  {
    name: 'cost of events = rollup = usage debits, per account, model and hour, with the usage that waits to be folded',
    sql: `WITH events AS (
        SELECT account_id, model, date_trunc('hour', occurred_at, 'UTC') AS hour, sum(cost_picos) AS cost
        FROM ${EVENTS} raw GROUP BY 1, 2, 3
      ), rollup AS (
        SELECT account_id, model, hour, sum(cost_picos) AS cost FROM metering.hourly_usage GROUP BY 1, 2, 3
      ), debits AS (
        SELECT account_id, model, hour, sum(cost) AS cost FROM (
          SELECT t.account_id, t.model, t.hour, -e.amount_picos AS cost
          FROM wallet.transfers t
          JOIN wallet.entries e ON e.transfer_id = t.id AND e.ledger_account = 'wallet:' || t.account_id
          WHERE t.kind = 'usage'
          UNION ALL
          SELECT account_id, model, hour, cost_picos FROM metering.unfolded_usage
        ) d GROUP BY 1, 2, 3
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
        FROM metering.hourly_usage GROUP BY 1, 2, 3, 4, 5
      )
      SELECT account_id, api_key_id, model, entrypoint, hour, events.tokens::text AS event_tokens,
        rollup.tokens::text AS rollup_tokens, events.cost::text AS event_cost, rollup.cost::text AS rollup_cost,
        events.usd::text AS event_usd, rollup.usd::text AS rollup_usd
      FROM events FULL JOIN rollup USING (account_id, api_key_id, model, entrypoint, hour)
      WHERE (events.tokens, events.cost, events.usd) IS DISTINCT FROM (rollup.tokens, rollup.cost, rollup.usd)
        AND NOT ${isDropped('hour')}`,
  },
  // Events of versions that did not count this tell no costs.
  {
    name: 'revenue and upstream cost of events and uncharged calls = margins, per account, model, upstream and day',
    sql: `WITH figures AS (
        SELECT account_id, model, upstream, date_trunc('day', occurred_at, 'UTC') AS day, 1 AS calls,
          CASE WHEN upstream_costs @> '[{"served": true}]' THEN 0 ELSE 1 END AS uncosted, cost_picos AS revenue, 0::numeric AS cost
        FROM ${EVENTS} raw WHERE upstream_costs IS NOT NULL
        UNION ALL
        SELECT e.account_id, e.model, c.upstream, date_trunc('day', e.occurred_at, 'UTC'), 0, 0, 0, c.cost_picos
        FROM ${EVENTS} e CROSS JOIN jsonb_to_recordset(e.upstream_costs) AS c(upstream text, cost_picos numeric)
        UNION ALL
        SELECT account_id, model, upstream, date_trunc('day', occurred_at, 'UTC'), 0, 0, 0, cost_picos FROM metering.uncharged_costs
      ), events AS (
        SELECT account_id, model, upstream, day, sum(calls) AS calls, sum(uncosted) AS uncosted, sum(revenue) AS revenue,
          sum(revenue * uncosted) AS uncosted_revenue, sum(cost) AS cost
        FROM figures GROUP BY 1, 2, 3, 4
      ), margins AS (
        SELECT account_id, model, upstream, day, sum(calls) AS calls, sum(uncosted_calls) AS uncosted, sum(revenue_picos) AS revenue,
          sum(uncosted_revenue_picos) AS uncosted_revenue, sum(cost_picos) AS cost
        FROM metering.margins GROUP BY 1, 2, 3, 4
      )
      SELECT account_id, model, upstream, day, e.calls::text AS event_calls, m.calls::text AS calls,
        e.uncosted::text AS event_uncosted, m.uncosted::text AS uncosted, e.revenue::text AS event_revenue,
        m.revenue::text AS revenue, e.cost::text AS event_cost, m.cost::text AS cost
      FROM events e FULL JOIN margins m USING (account_id, model, upstream, day)
      WHERE (e.calls, e.uncosted, e.revenue, e.uncosted_revenue, e.cost)
        IS DISTINCT FROM (m.calls, m.uncosted, m.revenue, m.uncosted_revenue, m.cost) AND NOT ${isDropped('day')}`,
  },
  {
    name: 'each line of an event costs its quantity at its rate, which is that of its price',
    sql: `SELECT e.request_id, l.meter, l.unit, l.quantity::text AS quantity, l.rate_picos::text AS rate, l.cost_picos::text AS cost,
        p.unit AS price_unit, p.rate_picos::text AS price_rate
      FROM ${EVENTS} e
      CROSS JOIN ${LINES}
      LEFT JOIN ${MODEL_PRICES} p ON p.price_list_id = e.price_list_id AND p.position = l.price AND p.slug = e.model
      WHERE l.rate_picos IS NOT NULL AND (
        l.cost_picos <> ceil(l.quantity * l.rate_picos / CASE l.unit WHEN 'per_audio_minute' THEN 60 ELSE 1 END)
        OR (l.price IS NOT NULL AND (l.unit, l.rate_picos) IS DISTINCT FROM (p.unit, p.rate_picos)))`,
  },
  {
    name: 'the lines of each event add up to its tokens and cost',
    sql: `SELECT e.request_id, e.cost_picos::text AS cost, l.cost::text AS lines_cost, e.input_tokens::text AS input,
        e.output_tokens::text AS output, l.tokens::text AS lines_tokens
      FROM ${EVENTS} e CROSS JOIN LATERAL (
        SELECT sum(l.cost_picos) AS cost, sum(l.cost_usd_picos) AS usd, sum(l.tokens) AS tokens, bool_and(l.rate_picos IS NOT NULL) AS rated
        FROM ${LINES}
      ) l
      WHERE l.rated AND (e.cost_picos, e.cost_usd_picos, e.input_tokens + e.output_tokens) IS DISTINCT FROM (l.cost, l.usd, l.tokens)`,
  },
  // Lines of training and of versions up to 0.2.0 do not tell their rates.
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
      WHERE e.cost_picos IS DISTINCT FROM p.cost AND NOT jsonb_path_exists(e.lines, '$[*].rate_picos')`,
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
  // An hour that was corrected later has to be exported anew.
  {
    name: 'each exported hour has the cost of its rollup and the transfers of its ledger',
    sql: `WITH exported AS MATERIALIZED (
        SELECT hour, cost_picos, ledger_picos FROM billing.exported_hours WHERE exported_at IS NOT NULL
      ), rollup AS (
        SELECT hour, sum(cost_picos) AS cost FROM metering.hourly_rollup WHERE hour IN (SELECT hour FROM exported) GROUP BY hour
      ), ledger AS (
        SELECT hour, sum(amount_picos) AS sum FROM (
          SELECT CASE t.kind WHEN 'usage' THEN t.hour ELSE date_trunc('hour', t.created_at, 'UTC') END AS hour, e.amount_picos
          FROM wallet.transfers t JOIN wallet.entries e ON e.transfer_id = t.id AND e.ledger_account = 'wallet:' || t.account_id
          WHERE EXISTS (SELECT FROM exported)
        ) moved GROUP BY hour
      )
      SELECT hour, x.cost_picos::text AS exported_cost, r.cost::text AS rollup_cost, x.ledger_picos::text AS exported_ledger,
        l.sum::text AS ledger
      FROM exported x LEFT JOIN rollup r USING (hour) LEFT JOIN ledger l USING (hour)
      WHERE (x.cost_picos, x.ledger_picos) IS DISTINCT FROM (coalesce(r.cost, 0), coalesce(l.sum, 0))`,
  },
  ...ARCHIVE_CHECKS,
  ...ROLLUP_CHECKS,
  ...FIGURES_CHECKS,
];

/** A violated invariant of the ledger. */
export interface Difference {
  check: string;
  row: Record<string, unknown>;
}

/** Runs all checks in one snapshot, so that it can run while requests are served. Returns a difference per violation. */
export async function reconcile(database: Database): Promise<Difference[]> {
  return database.transaction(async (transaction) => {
    await transaction.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await transaction.query('SET LOCAL statement_timeout = 0');
    // Before the snapshot: no partition disappears that the snapshot still counts.
    await transaction.query('LOCK TABLE metering.usage_events IN ACCESS SHARE MODE');
    const differences: Difference[] = [];
    for (const { name, sql } of CHECKS) {
      const { rows } = await transaction.query<Record<string, unknown>>(sql);
      differences.push(...rows.map((row) => ({ check: name, row })));
    }
    return differences;
  });
}
