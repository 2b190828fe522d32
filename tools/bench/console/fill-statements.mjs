/**
 * The statements that fill a database. All figures that the console shows follow from each other as in a real database:
 * rollup = Σ events, usage transfers = Σ rollup, top-ups = paid payments, balance = Σ entries. Rows are written in the order of
 * their times, as a running site writes them.
 *
 * @typedef {{ accounts: number, entries: number }} Size `accounts`: besides the large one; `entries` of the ledger
 * @typedef {{ large: number, heavy: number, small: number }} Amounts for each account of a kind
 */

/** Reaches back to the same month of the last year. */
export const DAYS = 365;
/** The events of older hours have been removed, except those of the large account. */
const EVENT_DAYS = 31;

/** One account of so many is heavy. */
const ACCOUNTS_PER_HEAVY = 1_000;
/** Of the usage of all accounts but the large one. */
const HEAVY_SHARE = 0.2;
/** Usage of one model in one hour: 137 a day, nearly six models in each of its hours. */
const LARGE_USAGE = 50_000;
/** Hours in which an account of little usage uses a model on one day. */
const HOURS_OF_ACTIVE_DAY = 5;
const PAYMENTS = { large: 10_000, heavy: 20, small: 2 };
/** The console allows 100. */
const API_KEYS = { large: 100, heavy: 20, small: 2 };
const SESSIONS = { large: 10, heavy: 10, small: 3 };
const SECURITY_EVENTS = { large: 1_000, heavy: 100, small: 5 };
/** Of which the catalogue and the price list have all, and usage the first ones. */
export const CATALOGUE_MODELS = 60;
const USED_MODELS = 6;

const ENTRYPOINTS = ['gateway', 'agent'];
const PICOS_PER_INPUT_TOKEN = 500_000;
const PICOS_PER_OUTPUT_TOKEN = 1_500_000;
const PICOS_PER_CENT = 10n ** 10n;
const ENTRIES_PER_TRANSFER = 2;
/** Nine of ten payments are paid, and of these one of twenty is refunded. */
const TRANSFERS_PER_PAYMENT = 0.9 * 1.05;

/** @param {number} accounts */
const heavyAccounts = (accounts) => Math.ceil(accounts / ACCOUNTS_PER_HEAVY);
/** @param {Amounts} amounts @returns {string} SQL of the amount of an account */
const amountOf = ({ large, heavy, small }) =>
  `(CASE kind WHEN 'large' THEN ${large} WHEN 'heavy' THEN ${heavy} ELSE ${small} END)`;
/** @param {Amounts} amounts @returns {string} SQL of the numbers from 1 to the amount of the account */
const series = (amounts) => `generate_series(1, ${amountOf(amounts)})`;
/** @param {string} prefix @param {string} number SQL @returns {string} SQL of an id of the account */
const idOf = (prefix, number) => `'${prefix}_' || left(md5(account_id || ' ' || (${number})), 22)`;

/** @param {Size} size @returns {Amounts} of models and hours with usage @throws if there are too few entries */
export function usageOf({ accounts, entries }) {
  const heavy = heavyAccounts(accounts);
  const small = accounts - heavy;
  const payments = PAYMENTS.large + heavy * PAYMENTS.heavy + small * PAYMENTS.small;
  const fixed = payments * TRANSFERS_PER_PAYMENT + LARGE_USAGE;
  const usage = entries / ENTRIES_PER_TRANSFER - fixed;
  // Each account has some usage.
  if (usage < 2 * accounts)
    throw new Error(
      `--entries must be at least ${Math.ceil(ENTRIES_PER_TRANSFER * (fixed + 2 * accounts))} for ${accounts} accounts.`,
    );
  return {
    large: LARGE_USAGE,
    heavy: Math.min(LARGE_USAGE, Math.round((usage * HEAVY_SHARE) / heavy)),
    small: Math.round((usage * (1 - HEAVY_SHARE)) / small),
  };
}

/** @param {Size} size @param {string} largeAccountId */
const createSubjects = ({ accounts }, largeAccountId) => `
  CREATE TEMP TABLE subjects AS
  SELECT number, 'acct_' || left(md5(number::text), 22) AS account_id,
    CASE WHEN number <= ${heavyAccounts(accounts)} THEN 'heavy' ELSE 'small' END AS kind
  FROM generate_series(1, ${accounts}) number
  UNION ALL SELECT 0, '${largeAccountId}', 'large'`;
/** The last hour is closed, so that no list changes during a run. */
const CREATE_PERIOD = `
  CREATE TEMP TABLE period AS SELECT date_trunc('hour', now() - interval '1 hour', 'UTC') AS ended_at`;

const ADD_PARTITIONS = `
  DO $$
  DECLARE
    month timestamp;
  BEGIN
    FOR i IN 1..12 LOOP
      month := date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => i);
      EXECUTE format('CREATE TABLE metering.%I PARTITION OF metering.usage_events FOR VALUES FROM (%L) TO (%L)',
        'usage_events_' || to_char(month, 'YYYY_MM'),
        month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
    END LOOP;
  END $$`;

/** With the password of the large account, which exists. */
const ADD_ACCOUNTS = `
  INSERT INTO accounts.accounts (id, email, password_hash, created_at)
  SELECT account_id, account_id || '@example.com', (SELECT password_hash FROM accounts.accounts), ended_at - interval '${DAYS} days'
  FROM subjects, period WHERE kind <> 'large'`;
const ADD_SESSIONS = `
  INSERT INTO accounts.sessions (id, account_id, created_at, expires_at)
  SELECT ${idOf('ses', 'n')}, account_id, now(), now() + interval '7 days' FROM subjects, ${series(SESSIONS)} n`;
const ADD_REFRESH_TOKENS = `
  INSERT INTO accounts.refresh_tokens (session_id, series_hash, value_hash)
  SELECT id, sha256(id::bytea), sha256(('value ' || id)::bytea) FROM accounts.sessions
  WHERE id NOT IN (SELECT session_id FROM accounts.refresh_tokens)`;
const ADD_SECURITY_EVENTS = `
  INSERT INTO accounts.security_events (id, account_id, type, actor_id, address, created_at)
  SELECT ${idOf('evt', 'n')}, account_id, 'session.opened', account_id, '203.0.113.7', ended_at - n * interval '1 hour'
  FROM subjects, period, ${series(SECURITY_EVENTS)} n`;
const ADD_API_KEYS = `
  INSERT INTO accounts.api_keys (id, account_id, name, prefix, key_hash, spend_limit_picos, allowed_models, created_at)
  SELECT ${idOf('key', 'n')}, account_id, 'key ' || n, 'bfvk-' || left(md5(n::text), 6), sha256((account_id || ' ' || n)::bytea),
    CASE WHEN n % 2 = 0 THEN 25000000000000 END, CASE WHEN n % 3 = 0 THEN ARRAY['sandbox-1', 'sandbox-2'] END,
    ended_at - random() * interval '${DAYS} days'
  FROM subjects, period, ${series(API_KEYS)} n`;
const ADD_KEY_BUDGETS = `
  INSERT INTO wallet.key_budgets (api_key_id, account_id, limit_picos)
  SELECT id, account_id, spend_limit_picos FROM accounts.api_keys`;

/** The `i`th usage of an account is on one of its active days, at the next hour of that day, and after 24 hours of the next model. A small account uses one key on a day. */
const createUsage = (/** @type {Amounts} */ usage) => `
  CREATE UNLOGGED TABLE metering.filled_usage AS
  SELECT account_id, kind, i, 'sandbox-' || 1 + (number + day + place / 24) % ${USED_MODELS} AS model,
    (ARRAY['${ENTRYPOINTS.join("', '")}'])[1 + turn % ${ENTRYPOINTS.length}] AS entrypoint,
    CASE WHEN turn % 5 > 0 THEN ${idOf('key', `1 + turn % ${amountOf(API_KEYS)}`)} ELSE '' END AS api_key_id,
    ended_at - make_interval(hours => (number * 31 + day * 97) % ${DAYS} * 24 + (number + place) % 24 + 1) AS hour,
    (10 + (i * 7919::bigint + number) % 2000)::bigint AS input, (1 + (i * 104729::bigint + number) % 500)::bigint AS output
  FROM (
    SELECT *, i % days AS day, i / days AS place, i % days + CASE kind WHEN 'small' THEN 0 ELSE i / days END AS turn FROM (
      SELECT *, least(${DAYS}, ceil(${amountOf(usage)} / ${HOURS_OF_ACTIVE_DAY}.0))::int AS days FROM subjects
    ) active, generate_series(0, ${amountOf(usage)} - 1) i
  ) placed, period
  ORDER BY hour`;

const INPUT_PICOS = `input * ${PICOS_PER_INPUT_TOKEN}`;
const OUTPUT_PICOS = `output * ${PICOS_PER_OUTPUT_TOKEN}`;
const ADD_ROLLUP = `
  INSERT INTO metering.hourly_rollup
    (account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos, cost_usd_picos)
  SELECT account_id, hour, model, entrypoint, l.unit, api_key_id, tokens, tokens, picos, picos
  FROM metering.filled_usage CROSS JOIN LATERAL (VALUES
    ('per_million_input_tokens', input, ${INPUT_PICOS}), ('per_million_output_tokens', output, ${OUTPUT_PICOS})
  ) AS l (unit, tokens, picos)`;
const ADD_USAGE_TRANSFERS = `
  INSERT INTO wallet.transfers (id, kind, account_id, reference, description, model, hour, created_at)
  SELECT id, 'usage', account_id, 'usage:' || id, 'Usage of ' || model, model, hour, hour + interval '30 minutes'
  FROM (SELECT *, 'stl_' || lpad((row_number() OVER ())::text, 22, '0') || '.1' AS id FROM metering.filled_usage) u`;
const ADD_USAGE_ENTRIES = `
  INSERT INTO wallet.entries (transfer_id, ledger_account, amount_picos)
  SELECT 'stl_' || lpad(number::text, 22, '0') || '.1', l.ledger_account, l.picos
  FROM (SELECT *, row_number() OVER () AS number FROM metering.filled_usage) u CROSS JOIN LATERAL (VALUES
    ('wallet:' || account_id, -(${INPUT_PICOS} + ${OUTPUT_PICOS})), ('revenue:usage', ${INPUT_PICOS} + ${OUTPUT_PICOS})
  ) AS l (ledger_account, picos)`;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** SQL of an id as the gateway makes it: the digits of the time, and fourteen others. @param {string} at @param {string} digits */
const requestId = (at, digits) => {
  const millis = `(extract(epoch FROM ${at}) * 1000)::bigint`;
  const digit = (/** @type {number} */ place) =>
    `substr('${BASE62}', 1 + (${millis} / ${62 ** place} % 62)::int, 1)`;
  return `'req_' || ${[7, 6, 5, 4, 3, 2, 1, 0].map(digit).join(' || ')} || left(${digits}, 14)`;
};
/** One for each row of the usage. @param {bigint} priceListId */
const addEvents = (priceListId) => `
  INSERT INTO metering.usage_events (request_id, occurred_at, started_at, account_id, api_key_id, model, entrypoint, endpoint, upstream,
    outcome, input_tokens, output_tokens, estimated, price_list_id, usd_per_unit, cost_picos, cost_usd_picos, lines,
    settlement_id)
  SELECT ${requestId('occurred_at', "md5(account_id || ' ' || i)")}, occurred_at, occurred_at - interval '1 second', account_id,
    nullif(api_key_id, ''), model, entrypoint, 'chat', 'sandbox', CASE WHEN i % 1000 > 0 THEN 'completed' ELSE 'interrupted' END,
    input, output, false, ${priceListId}, 1, ${INPUT_PICOS} + ${OUTPUT_PICOS}, ${INPUT_PICOS} + ${OUTPUT_PICOS},
    jsonb_build_array(
      jsonb_build_object('unit', 'per_million_input_tokens', 'quantity', input, 'tokens', input,
        'cost_picos', ${INPUT_PICOS}, 'cost_usd_picos', ${INPUT_PICOS}),
      jsonb_build_object('unit', 'per_million_output_tokens', 'quantity', output, 'tokens', output,
        'cost_picos', ${OUTPUT_PICOS}, 'cost_usd_picos', ${OUTPUT_PICOS})),
    'stl_bench'
  FROM (
    SELECT *, hour + make_interval(secs => i * 7919 % 3600000 / 1000.0) AS occurred_at FROM metering.filled_usage, period
    WHERE kind = 'large' OR hour >= ended_at - interval '${EVENT_DAYS} days'
  ) timed`;

const ADD_PAYMENTS = `
  INSERT INTO billing.payments (id, account_id, provider, amount_minor, currency, status, return_url, provider_order_id,
    checkout_type, checkout_url, provider_reference, payer_name, payer_email, created_at, expires_at, paid_at, ended_at)
  SELECT id, account_id, 'card_provider', (500 + random() * 5000)::bigint, 'USD',
    CASE WHEN is_paid THEN 'paid' ELSE 'expired' END, 'https://shop.example.com/paid', 'cs_' || id,
    'redirect', 'https://pay.example.com/' || id, CASE WHEN is_paid THEN 'pi_' || id END, 'Ada Lovelace',
    'ada@example.com', created_at, created_at + interval '1 day',
    CASE WHEN is_paid THEN created_at + interval '1 minute' END,
    CASE WHEN NOT is_paid THEN created_at + interval '1 day' END
  FROM (
    SELECT ${idOf('pay', 'n')} AS id, account_id, (number + n) % 10 > 0 AS is_paid,
      ended_at - random() * interval '${DAYS} days' AS created_at
    FROM subjects, period, ${series(PAYMENTS)} n
  ) p ORDER BY created_at`;
/** One of twenty paid payments. */
const ADD_REFUNDS = `
  INSERT INTO billing.refunds (id, payment_id, amount_minor, reason, status, provider_reference, ordered_by, created_at,
    ended_at)
  SELECT 'ref_' || substr(id, 5), id, amount_minor / 2, 'requested', 'succeeded', 're_' || id, account_id,
    paid_at + interval '1 hour', paid_at + interval '1 hour'
  FROM billing.payments WHERE status = 'paid' AND md5(id) < '0d'`;
const CREATE_MOVEMENTS = `
  CREATE TEMP TABLE movements AS
  SELECT 'txn_' || substr(id, 5) AS id, 'topup' AS kind, account_id, 'payment:' || id AS reference, 'Top-up by card' AS description,
    amount_minor * ${PICOS_PER_CENT} AS amount_picos, paid_at AS created_at
  FROM billing.payments WHERE status = 'paid'
  UNION ALL
  SELECT 'txn_r' || substr(r.id, 5), 'adjustment', p.account_id, 'refund:' || r.id, 'Refund of ' || p.id,
    -r.amount_minor * ${PICOS_PER_CENT}, r.created_at
  FROM billing.refunds r JOIN billing.payments p ON p.id = r.payment_id`;
const ADD_TRANSFERS = `
  INSERT INTO wallet.transfers (id, kind, account_id, reference, description, created_at)
  SELECT id, kind, account_id, reference, description, created_at FROM movements ORDER BY created_at`;
const ADD_ENTRIES = `
  INSERT INTO wallet.entries (transfer_id, ledger_account, amount_picos)
  SELECT id, l.ledger_account, l.picos FROM movements CROSS JOIN LATERAL (VALUES
    ('wallet:' || account_id, amount_picos), ('provider:card_provider', -amount_picos)
  ) AS l (ledger_account, picos)`;
/** At least one of two successive payments of an account is paid, which covers its usage. */
const ADD_WALLETS = `
  INSERT INTO wallet.wallets (account_id, currency, balance_picos)
  SELECT account_id, 'USD', coalesce(m.picos, 0) - coalesce(u.picos, 0)
  FROM subjects
  LEFT JOIN (SELECT account_id, sum(amount_picos) AS picos FROM movements GROUP BY account_id) m USING (account_id)
  LEFT JOIN (
    SELECT account_id, sum(${INPUT_PICOS} + ${OUTPUT_PICOS}) AS picos FROM metering.filled_usage GROUP BY account_id
  ) u USING (account_id)
  ON CONFLICT (account_id) DO UPDATE SET balance_picos = excluded.balance_picos`;

const ADD_CATALOGUE = `
  WITH packages AS (
    INSERT INTO catalogue.packages (id, slug, version, file_name, size, sha256, uploaded_by, stored_at, published_at)
    SELECT 'pkg_' || n, 'sandbox-' || n, '1.0.0', 'model.gguf', 1000000000, sha256(n::text::bytea), account_id, now(), now()
    FROM subjects, generate_series(1, ${CATALOGUE_MODELS}) n WHERE kind = 'large'
    RETURNING slug, id
  )
  INSERT INTO catalogue.models (slug, id, name, description, package_id)
  SELECT slug, 'mdl_' || id, slug, 'A model of the benchmark.', id FROM packages`;

/**
 * @param {Size} size
 * @param {string} largeAccountId of the account that becomes the large one
 * @param {bigint} priceListId of the events
 */
export const fillStatements = (size, largeAccountId, priceListId) => [
  ...[createSubjects(size, largeAccountId), CREATE_PERIOD, ADD_PARTITIONS, ADD_ACCOUNTS, ADD_SESSIONS],
  ...[ADD_REFRESH_TOKENS, ADD_SECURITY_EVENTS, ADD_API_KEYS, ADD_KEY_BUDGETS, createUsage(usageOf(size))],
  ...[ADD_ROLLUP, ADD_USAGE_TRANSFERS, ADD_USAGE_ENTRIES, addEvents(priceListId), ADD_PAYMENTS, ADD_REFUNDS],
  ...[
    CREATE_MOVEMENTS,
    ADD_TRANSFERS,
    ADD_ENTRIES,
    ADD_WALLETS,
    'DROP TABLE metering.filled_usage',
    ADD_CATALOGUE,
  ],
];
