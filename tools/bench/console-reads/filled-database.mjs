import pg from 'pg';

/**
 * Fills a database with the data of one large account and many small ones, by set-based statements. All figures that the
 * console shows follow from each other as in a real database: rollup = Σ events, usage transfers = Σ rollup, top-ups = paid
 * payments, balance = Σ entries.
 */

const SMALL_ACCOUNTS = 2_000;
/** Spread over DAYS of hours, models and entrypoints: most events of an account have an hour of the rollup of their own. */
const EVENTS = { large: 50_000, small: 75 };
const PAYMENTS = { large: 10_000, small: 45 };
/** The console allows 100. */
const API_KEYS = { large: 100, small: 25 };
const SESSIONS = { large: 10, small: 10 };
/** Reaches back to the same month of the last year. */
export const DAYS = 365;
const MODELS = ['sandbox-chat', 'sandbox-mini', 'sandbox-large'];
const ENTRYPOINTS = ['gateway', 'agent'];
const PICOS_PER_INPUT_TOKEN = 500_000;
const PICOS_PER_OUTPUT_TOKEN = 1_500_000;
const PICOS_PER_CENT = 10n ** 10n;
/** Makes `random()` give the same values in every run. */
const SEED = 0.5;

/** @param {string[]} values */
const sqlArray = (values) => `ARRAY[${values.map((value) => `'${value}'`).join(', ')}]`;
/** A random element. @param {string[]} values */
const anyOf = (values) => `(${sqlArray(values)})[1 + floor(random() * ${values.length})::int]`;
/** @param {{ large: number, small: number }} amounts SQL of the numbers from 1 to the amount of the account */
const series = ({ large, small }) => `generate_series(1, CASE WHEN is_large THEN ${large} ELSE ${small} END)`;

/** The last hour is closed, so that no list changes during a run. */
const CREATE_SUBJECTS = `
  CREATE TEMP TABLE subjects AS
  SELECT 'acct_' || lpad(n::text, 6, '0') AS account_id, false AS is_large FROM generate_series(1, ${SMALL_ACCOUNTS}) n`;
const CREATE_PERIOD = `
  CREATE TEMP TABLE period AS
  SELECT date_trunc('hour', now() - interval '1 hour', 'UTC') AS ended_at`;

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

const ADD_ACCOUNTS = `
  INSERT INTO accounts.accounts (id, email, password_hash, created_at)
  SELECT account_id, account_id || '@example.com', '', ended_at - interval '${DAYS} days' FROM subjects, period`;
const ADD_WALLETS = `INSERT INTO wallet.wallets (account_id, currency) SELECT account_id, 'USD' FROM subjects`;
const ADD_SESSIONS = `
  INSERT INTO accounts.sessions (id, account_id, created_at, expires_at)
  SELECT 'ses_' || md5(account_id || n), account_id, now(), now() + interval '7 days'
  FROM subjects, ${series(SESSIONS)} n`;

const ADD_API_KEYS = `
  INSERT INTO accounts.api_keys (id, account_id, name, prefix, key_hash, spend_limit_picos, allowed_models, created_at)
  SELECT 'key_' || md5(account_id || n), account_id, 'key ' || n, 'bfvk-' || left(md5(n::text), 6),
    sha256((account_id || ' ' || n)::bytea), CASE WHEN n % 2 = 0 THEN 25000000000000 END,
    CASE WHEN n % 3 = 0 THEN ${sqlArray(MODELS)} END, ended_at - random() * interval '${DAYS} days'
  FROM subjects, period, ${series(API_KEYS)} n`;
const ADD_KEY_BUDGETS = `
  INSERT INTO wallet.key_budgets (api_key_id, account_id, limit_picos)
  SELECT id, account_id, spend_limit_picos FROM accounts.api_keys`;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** SQL of an id as the gateway makes it: the digits of the time, and fourteen others. @param {string} at @param {string} digits */
const requestId = (at, digits) => {
  const millis = `(extract(epoch FROM ${at}) * 1000)::bigint`;
  const digit = (/** @type {number} */ place) =>
    `substr('${BASE62}', 1 + (${millis} / ${62 ** place} % 62)::int, 1)`;
  return `'req_' || ${[7, 6, 5, 4, 3, 2, 1, 0].map(digit).join(' || ')} || left(${digits}, 14)`;
};

/** @param {bigint} priceListId */
const addEvents = (priceListId) => `
  INSERT INTO metering.usage_events (request_id, occurred_at, started_at, account_id, api_key_id, model, entrypoint, endpoint, upstream,
    outcome, input_tokens, output_tokens, estimated, price_list_id, usd_per_unit, cost_picos, cost_usd_picos, lines,
    settlement_id)
  SELECT ${requestId('occurred_at', 'seed')}, occurred_at, occurred_at - interval '1 second', account_id,
    CASE WHEN n % 5 > 0 THEN 'key_' || md5(account_id || (1 + n % CASE WHEN is_large THEN ${API_KEYS.large} ELSE ${API_KEYS.small} END)) END,
    model, entrypoint, 'chat', 'sandbox', CASE WHEN n % 1000 > 0 THEN 'completed' ELSE 'interrupted' END, input, output, false, ${priceListId}, 1, input_picos + output_picos, input_picos + output_picos,
    jsonb_build_array(
      jsonb_build_object('unit', 'per_million_input_tokens', 'quantity', input, 'tokens', input,
        'cost_picos', input_picos, 'cost_usd_picos', input_picos),
      jsonb_build_object('unit', 'per_million_output_tokens', 'quantity', output, 'tokens', output,
        'cost_picos', output_picos, 'cost_usd_picos', output_picos)),
    'stl_bench'
  FROM (
    SELECT *, input * ${PICOS_PER_INPUT_TOKEN} AS input_picos, output * ${PICOS_PER_OUTPUT_TOKEN} AS output_picos
    FROM (
      SELECT md5(account_id || n) AS seed, n, is_large, account_id,
        ended_at - interval '1 second' - random() * interval '${DAYS} days' AS occurred_at,
        ${anyOf(MODELS)} AS model, ${anyOf(ENTRYPOINTS)} AS entrypoint,
        (10 + random() * 2000)::bigint AS input, (1 + random() * 500)::bigint AS output
      FROM subjects, period, ${series(EVENTS)} n
    ) requests
  ) priced`;

const ADD_ROLLUP = `
  INSERT INTO metering.hourly_rollup
    (account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos, cost_usd_picos)
  SELECT e.account_id, date_trunc('hour', e.occurred_at, 'UTC') AS hour, e.model, e.entrypoint, l.unit, coalesce(e.api_key_id, ''),
    sum(l.quantity), sum(l.tokens), sum(l.cost_picos), sum(l.cost_usd_picos)
  FROM metering.usage_events e CROSS JOIN jsonb_to_recordset(e.lines)
    AS l(unit text, quantity numeric, tokens numeric, cost_picos numeric, cost_usd_picos numeric)
  GROUP BY e.account_id, hour, e.model, e.entrypoint, l.unit, e.api_key_id`;

/** One for each account, model and hour, as if every hour were settled once. */
const CREATE_DEBITS = `
  CREATE TEMP TABLE debits AS
  SELECT 'use_' || row_number() OVER (ORDER BY hour, account_id, model) AS id, account_id, model, hour,
    sum(cost_picos) AS amount_picos
  FROM metering.hourly_rollup GROUP BY account_id, model, hour`;
const ADD_USAGE_TRANSFERS = `
  INSERT INTO wallet.transfers (id, kind, account_id, reference, description, model, hour, created_at)
  SELECT id, 'usage', account_id, 'usage:' || id, 'Usage of ' || model, model, hour, hour + interval '1 hour'
  FROM debits ORDER BY hour`;
const ADD_USAGE_ENTRIES = `
  INSERT INTO wallet.entries (transfer_id, ledger_account, amount_picos)
  SELECT id, 'wallet:' || account_id, -amount_picos FROM debits
  UNION ALL SELECT id, 'revenue:usage', amount_picos FROM debits`;

/** 90 % are paid, 10 % have expired. */
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
    SELECT 'pay_' || left(md5(account_id || n), 24) AS id, account_id, n % 10 > 0 AS is_paid,
      ended_at - random() * interval '${DAYS} days' AS created_at
    FROM subjects, period, ${series(PAYMENTS)} n
  ) p`;
/** One of twenty payments. */
const ADD_REFUNDS = `
  INSERT INTO billing.refunds (id, payment_id, amount_minor, reason, status, provider_reference, ordered_by, created_at,
    ended_at)
  SELECT 'ref_' || substr(id, 5), id, amount_minor, 'requested', 'succeeded', 're_' || id, account_id,
    paid_at + interval '1 hour', paid_at + interval '1 hour'
  FROM billing.payments WHERE status = 'paid' AND md5(id) < '0d'`;

const CREATE_MOVEMENTS = `
  CREATE TEMP TABLE movements AS
  SELECT 'txn_' || id AS id, 'topup' AS kind, account_id, 'payment:' || id AS reference, 'Top-up by card' AS description,
    amount_minor * ${PICOS_PER_CENT} AS amount_picos, paid_at AS created_at
  FROM billing.payments WHERE status = 'paid'
  UNION ALL
  SELECT 'txn_' || r.id, 'adjustment', p.account_id, 'refund:' || r.id, 'Refund of ' || p.id,
    -r.amount_minor * ${PICOS_PER_CENT}, r.created_at
  FROM billing.refunds r JOIN billing.payments p ON p.id = r.payment_id`;
const ADD_TRANSFERS = `
  INSERT INTO wallet.transfers (id, kind, account_id, reference, description, created_at)
  SELECT id, kind, account_id, reference, description, created_at FROM movements ORDER BY created_at`;
const ADD_ENTRIES = `
  INSERT INTO wallet.entries (transfer_id, ledger_account, amount_picos)
  SELECT id, 'wallet:' || account_id, amount_picos FROM movements
  UNION ALL SELECT id, 'provider:card_provider', -amount_picos FROM movements`;
const SET_BALANCES = `
  UPDATE wallet.wallets w SET balance_picos = s.amount_picos
  FROM (SELECT ledger_account, sum(amount_picos) AS amount_picos FROM wallet.entries GROUP BY ledger_account) s
  WHERE s.ledger_account = 'wallet:' || w.account_id`;

/** Tables by schema and name, partitions included. */
const COUNT_ROWS = `
  SELECT n.nspname || '.' || c.relname AS name, c.reltuples::int AS rows
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')`;

/**
 * @param {import('../setup/workbench.mjs').Workbench} bench
 * @param {string} databaseUrl of the superuser
 * @param {string} accountId the account that becomes the large one
 * @param {bigint} priceListId
 * @returns {Promise<Map<string, number>>} rows of each table, by schema and name
 */
export async function fillDatabase(bench, databaseUrl, accountId, priceListId) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // Without triggers and foreign keys: they would schedule a job for each payment, and take most of the time.
    await client.query(
      "SET session_replication_role = replica; SET synchronous_commit = off; SET work_mem = '256MB'",
    );
    await client.query('SELECT setseed($1)', [SEED]);
    await client.query(CREATE_SUBJECTS);
    await client.query(CREATE_PERIOD);
    await client.query(ADD_ACCOUNTS);
    await client.query(ADD_WALLETS);
    await client.query('INSERT INTO subjects VALUES ($1, true)', [accountId]);
    const statements = [
      ...[ADD_PARTITIONS, ADD_SESSIONS, ADD_API_KEYS, ADD_KEY_BUDGETS, addEvents(priceListId), ADD_ROLLUP],
      ...[CREATE_DEBITS, ADD_USAGE_TRANSFERS, ADD_USAGE_ENTRIES, ADD_PAYMENTS, ADD_REFUNDS, CREATE_MOVEMENTS],
      ...[ADD_TRANSFERS, ADD_ENTRIES, SET_BALANCES, 'VACUUM (ANALYZE)', 'CHECKPOINT'],
    ];
    for (const statement of statements) {
      bench.signal.throwIfAborted();
      await client.query(statement);
    }
    const { rows } = await client.query(COUNT_ROWS);
    return new Map(rows.map((row) => [row.name, row.rows]));
  } finally {
    await client.end();
  }
}
