import { type Database, type Executor, type Transaction } from '@inference/database';
import { picosToDecimal } from '@inference/money';
import { readOrigins } from '../transactions/transaction-origin';

/** Chosen: about 2 MB of rows in memory; a tenth makes the round trips felt. */
const PAGE_ROWS = 2_000;
/** Of each account a statement may sort thousands of debits. Chosen: ten keep an hour of small accounts quick. */
const ACCOUNTS_AT_ONCE = 10;
const ACCOUNTS_PER_PAGE = 1_000;

/** Raised when columns change: renamed or removed ones, or ones with another meaning. Columns may be added at the end without it. */
export const SCHEMA_VERSION = 1;

export type DatasetName = 'usage' | 'usage_lines' | 'ledger';

/** `money`: an amount as an exact decimal, which the statement returns in picos; `decimal`: any other exact number. */
export interface Column {
  name: string;
  type: 'string' | 'timestamp' | 'boolean' | 'integer' | 'decimal' | 'money' | 'json';
  /** Null: the code fills the column. */
  sql: string | null;
}

export type Row = Record<string, string | null>;

const instant = (at: string) => `to_char(${at} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const EVENT: Column[] = [
  { name: 'request_id', type: 'string', sql: 'e.request_id' },
  { name: 'settled_at', type: 'timestamp', sql: instant('e.occurred_at') },
  { name: 'account_id', type: 'string', sql: 'e.account_id' },
  { name: 'api_key_id', type: 'string', sql: 'e.api_key_id' },
  { name: 'model', type: 'string', sql: 'e.model' },
  { name: 'entrypoint', type: 'string', sql: 'e.entrypoint' },
];
const CURRENCY: Column = { name: 'currency', type: 'string', sql: null };

const USAGE_COLUMNS: Column[] = [
  ...EVENT,
  { name: 'endpoint', type: 'string', sql: 'e.endpoint' },
  { name: 'upstream', type: 'string', sql: 'e.upstream' },
  { name: 'outcome', type: 'string', sql: 'e.outcome' },
  { name: 'started_at', type: 'timestamp', sql: instant('e.started_at') },
  { name: 'duration_ms', type: 'integer', sql: 'e.duration_ms::text' },
  { name: 'time_to_first_token_ms', type: 'integer', sql: 'e.time_to_first_token_ms::text' },
  { name: 'finish_reason', type: 'string', sql: 'e.finish_reason' },
  { name: 'input_tokens', type: 'integer', sql: 'e.input_tokens::text' },
  { name: 'output_tokens', type: 'integer', sql: 'e.output_tokens::text' },
  { name: 'estimated', type: 'boolean', sql: 'e.estimated::text' },
  { name: 'usage_fault', type: 'string', sql: 'e.usage_fault' },
  { name: 'price_list_id', type: 'integer', sql: 'e.price_list_id::text' },
  CURRENCY,
  { name: 'cost', type: 'money', sql: 'e.cost_picos::text' },
  { name: 'cost_usd', type: 'money', sql: 'e.cost_usd_picos::text' },
  { name: 'usd_per_unit', type: 'decimal', sql: 'trim_scale(e.usd_per_unit)::text' },
  {
    name: 'upstream_cost',
    type: 'money',
    sql: '(SELECT sum(c.cost_picos)::text FROM jsonb_to_recordset(e.upstream_costs) AS c (cost_picos numeric))',
  },
  {
    name: 'upstream_cost_complete',
    type: 'boolean',
    sql: `coalesce(e.upstream_costs @> '[{"served": true}]', false)::text`,
  },
];

const LINE_COLUMNS: Column[] = [
  ...EVENT,
  { name: 'line', type: 'integer', sql: 'l.number::text' },
  { name: 'meter', type: 'string', sql: 'l.meter' },
  { name: 'unit', type: 'string', sql: 'l.unit' },
  { name: 'quantity', type: 'decimal', sql: 'l.quantity::text' },
  { name: 'tokens', type: 'integer', sql: 'l.tokens::text' },
  { name: 'rate', type: 'money', sql: 'l.rate_picos::text' },
  { name: 'conditions', type: 'json', sql: "nullif(l.conditions, 'null')::text" },
  CURRENCY,
  { name: 'cost', type: 'money', sql: 'l.cost_picos::text' },
  { name: 'cost_usd', type: 'money', sql: 'l.cost_usd_picos::text' },
];

const LEDGER_COLUMNS: Column[] = [
  { name: 'transaction_id', type: 'string', sql: 't.id' },
  { name: 'created_at', type: 'timestamp', sql: instant('t.created_at') },
  { name: 'account_id', type: 'string', sql: 't.account_id' },
  { name: 'type', type: 'string', sql: 't.kind' },
  { name: 'cause', type: 'string', sql: null },
  { name: 'model', type: 'string', sql: 't.model' },
  { name: 'usage_hour', type: 'timestamp', sql: instant('t.hour') },
  { name: 'payment_id', type: 'string', sql: null },
  CURRENCY,
  { name: 'amount', type: 'money', sql: 'own.amount_picos::text' },
  {
    name: 'counter_account',
    type: 'string',
    sql: `(SELECT string_agg(o.ledger_account, ' ' ORDER BY o.ledger_account) FROM wallet.entries o
       WHERE o.transfer_id = t.id AND o.ledger_account <> own.ledger_account)`,
  },
];

const selected = (columns: Column[]) =>
  columns.flatMap(({ name, sql }) => (sql === null ? [] : [`${sql} AS ${name}`])).join(', ');

/** An hour (UTC). */
export interface HourBounds {
  from: Date;
  to: Date;
}

type Pages = AsyncGenerator<Row[], void>;

/** By the primary key of the events, which is their partition's too: each page is a short statement. */
const EVENT_PAGE = `
  SELECT * FROM metering.usage_events e
  WHERE e.occurred_at >= $1 AND e.occurred_at < $2 AND (e.occurred_at, e.request_id) > ($3::timestamptz, $4)
  ORDER BY e.occurred_at, e.request_id LIMIT ${PAGE_ROWS}`;

const USAGE_PAGE = `SELECT ${selected(USAGE_COLUMNS)} FROM (${EVENT_PAGE}) e ORDER BY e.occurred_at, e.request_id`;

/** An event without a line is a row without a line, so that a page that is read ends where its events end. */
const LINES_PAGE = `
  SELECT ${selected(LINE_COLUMNS)} FROM (${EVENT_PAGE}) e
  LEFT JOIN LATERAL ROWS FROM (jsonb_to_recordset(e.lines)
    AS (meter text, unit text, quantity numeric, tokens numeric, rate_picos numeric, conditions jsonb, cost_picos numeric, cost_usd_picos numeric))
    WITH ORDINALITY AS l (meter, unit, quantity, tokens, rate_picos, conditions, cost_picos, cost_usd_picos, number) ON true
  ORDER BY e.occurred_at, e.request_id, l.number`;

/** Without the settings the planner may take all rows of the hour for each page and sort them, because it does not know that hour yet. */
async function readPage(transaction: Transaction, sql: string, values: unknown[]): Promise<Row[]> {
  await transaction.query('SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off');
  return (await transaction.query<Row>(sql, values)).rows;
}

/** Reads pages, each of which begins after the last row of the page before, in the order of an index. */
async function* pagesByTime(
  database: Database,
  sql: string,
  { from, to }: HourBounds,
  [time, id]: [time: string, id: string],
): Pages {
  for (let after = [from.toISOString(), '']; ;) {
    const rows = await database.transaction((transaction) =>
      readPage(transaction, sql, [from, to, ...after]),
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = [last[time]!, last[id]!];
  }
}

const eventPages = (sql: string) => (database: Database, hour: HourBounds) =>
  pagesByTime(database, sql, hour, ['settled_at', 'request_id']);

async function* linePages(database: Database, hour: HourBounds): Pages {
  for await (const rows of eventPages(LINES_PAGE)(database, hour))
    yield rows.filter(({ line }) => line !== null);
}

const TRANSFERS = `
  SELECT ${selected(LEDGER_COLUMNS)}, t.reference
  FROM wallet.transfers t
  JOIN wallet.entries own ON own.transfer_id = t.id AND own.ledger_account = 'wallet:' || t.account_id`;

const OTHER_TRANSFERS_PAGE = `${TRANSFERS}
  WHERE t.kind <> 'usage' AND t.created_at >= $1 AND t.created_at < $2 AND (t.created_at, t.id) > ($3::timestamptz, $4)
  ORDER BY t.created_at, t.id LIMIT ${PAGE_ROWS}`;

const DEBITED_ACCOUNTS_PAGE = `
  SELECT DISTINCT account_id FROM metering.hourly_rollup WHERE hour = $1 AND account_id > $2
  ORDER BY account_id LIMIT ${ACCOUNTS_PER_PAGE}`;

const DEBITS_PAGE = `${TRANSFERS}
  WHERE t.kind = 'usage' AND t.hour = $1 AND t.account_id = ANY ($2) AND (t.account_id, t.id) > ($3, $4)
  ORDER BY t.account_id, t.id LIMIT ${PAGE_ROWS}`;

/** Why money moved, and by which payment. The reference itself may have text of staff. */
async function withOrigins(executor: Executor, rows: Row[]): Promise<Row[]> {
  const lines = rows.map(({ type, reference }) => ({
    type: type as 'topup' | 'adjustment',
    reference: reference!,
  }));
  const origins = await readOrigins(executor, lines);
  return rows.map((row, index) => ({
    ...row,
    cause: origins[index]!.cause,
    payment_id: origins[index]!.payment?.id ?? null,
  }));
}

/** Usage belongs to its hour, whenever it was debited; other transfers to the hour in which they were posted. */
async function* ledgerPages(database: Database, hour: HourBounds): Pages {
  for await (const rows of pagesByTime(database, OTHER_TRANSFERS_PAGE, hour, [
    'created_at',
    'transaction_id',
  ]))
    yield await withOrigins(database, rows);
  for await (const accounts of debitedAccounts(database, hour))
    for (let after = ['', '']; ;) {
      const { rows } = await database.query<Row>(DEBITS_PAGE, [hour.from, accounts, ...after]);
      yield rows.map((row) => ({ ...row, cause: 'usage', payment_id: null }));
      if (rows.length < PAGE_ROWS) break;
      after = [rows.at(-1)!.account_id!, rows.at(-1)!.transaction_id!];
    }
}

async function* debitedAccounts(executor: Executor, { from }: HourBounds): AsyncGenerator<string[], void> {
  for (let after = ''; ;) {
    const { rows } = await executor.query<{ account_id: string }>(DEBITED_ACCOUNTS_PAGE, [from, after]);
    const ids = rows.map((row) => row.account_id);
    for (let at = 0; at < ids.length; at += ACCOUNTS_AT_ONCE) yield ids.slice(at, at + ACCOUNTS_AT_ONCE);
    if (ids.length < ACCOUNTS_PER_PAGE) return;
    after = ids.at(-1)!;
  }
}

/** A sum that the manifest tells. */
interface Sum {
  name: string;
  column: string;
  /** Adds up only these rows. */
  of?: (row: Row) => boolean;
}

const sumOf = (column: string): Sum => ({ name: column, column });

/** What is exported of an hour. */
export interface Dataset {
  name: DatasetName;
  columns: readonly Column[];
  sums: readonly Sum[];
  pages: (database: Database, hour: HourBounds) => Pages;
}

export const DATASETS: Record<DatasetName, Dataset> = {
  usage: {
    name: 'usage',
    columns: USAGE_COLUMNS,
    sums: ['input_tokens', 'output_tokens', 'cost', 'cost_usd', 'upstream_cost'].map(sumOf),
    pages: eventPages(USAGE_PAGE),
  },
  usage_lines: {
    name: 'usage_lines',
    columns: LINE_COLUMNS,
    sums: ['tokens', 'cost', 'cost_usd'].map(sumOf),
    pages: linePages,
  },
  ledger: {
    name: 'ledger',
    columns: LEDGER_COLUMNS,
    sums: [sumOf('amount'), { name: 'usage_amount', column: 'amount', of: ({ type }) => type === 'usage' }],
    pages: ledgerPages,
  },
};

/** The text of a value in a file; null is an empty one. */
export function cellOf({ name, type }: Column, value: string | null | undefined, currency: string): string {
  if (name === CURRENCY.name) return currency;
  if (value === null || value === undefined) return '';
  return type === 'money' ? picosToDecimal(BigInt(value)) : value;
}

/** What the books say of an hour: the sums of the rollup, and what usage was debited in the ledger. All in picos but the tokens. */
export interface HourBooks {
  tokens: bigint;
  costPicos: bigint;
  costUsdPicos: bigint;
  debitedPicos: bigint;
}

export async function readHourBooks(executor: Executor, { from }: HourBounds): Promise<HourBooks> {
  const { rows } = await executor.query<Record<keyof HourBooks, string>>(
    `WITH rollup AS MATERIALIZED (
       SELECT account_id, sum(tokens) AS tokens, sum(cost_picos) AS cost, sum(cost_usd_picos) AS usd
       FROM metering.hourly_rollup WHERE hour = $1 GROUP BY account_id
     )
     SELECT coalesce(sum(tokens), 0)::text AS tokens, coalesce(sum(cost), 0)::text AS "costPicos",
       coalesce(sum(usd), 0)::text AS "costUsdPicos", coalesce(sum(debits.picos), 0)::text AS "debitedPicos"
     FROM rollup r CROSS JOIN LATERAL (
       SELECT -sum(e.amount_picos) AS picos FROM wallet.transfers t
       JOIN wallet.entries e ON e.transfer_id = t.id AND e.ledger_account = 'wallet:' || t.account_id
       WHERE t.account_id = r.account_id AND t.hour = $1 AND t.kind = 'usage'
     ) debits`,
    [from],
  );
  const [{ tokens, costPicos, costUsdPicos, debitedPicos }] = rows as [Record<keyof HourBooks, string>];
  return {
    tokens: BigInt(tokens),
    costPicos: BigInt(costPicos),
    costUsdPicos: BigInt(costUsdPicos),
    debitedPicos: BigInt(debitedPicos),
  };
}
