import { type Client } from 'pg';
import { type EventSums } from '../files/manifest';

/** Chosen: about 2 MB of events in memory; a tenth makes the round trips felt. */
const FETCHED_ROWS = 2_000;

/** The columns of an event in their order in a file; `text`: numbers that not every reader of JSON reads exactly. */
const COLUMNS: [name: string, type?: 'text'][] = [
  ['request_id'],
  ['occurred_at'],
  ['started_at'],
  ['account_id'],
  ['api_key_id'],
  ['model'],
  ['entrypoint'],
  ['endpoint'],
  ['upstream'],
  ['outcome'],
  ['input_tokens', 'text'],
  ['output_tokens', 'text'],
  ['estimated'],
  ['price_list_id', 'text'],
  ['usd_per_unit', 'text'],
  ['cost_picos', 'text'],
  ['cost_usd_picos', 'text'],
  ['lines'],
  ['settlement_id'],
];
/** Follow in lines that have them: lines without them are what they were before these columns existed. */
export const LATER_COLUMNS = [
  'duration_ms',
  'time_to_first_token_ms',
  'finish_reason',
  'usage_fault',
  'upstream_costs',
];
export const EVENT_COLUMNS = [...COLUMNS.map(([name]) => name), ...LATER_COLUMNS];

const EXPORTED = COLUMNS.map(([name, type]) => (type ? `${name}::${type} AS ${name}` : name)).join(', ');
const LATER = `nullif(json_strip_nulls(json_build_object(${LATER_COLUMNS.map((name) => `'${name}', t.${name}`).join(', ')}))::text, '{}')`;
/** The members of both objects. */
const LINE = `left(row_to_json(e)::text, -1) || coalesce(',' || substr(${LATER}, 2), '}')`;
const DAY_OF = (at: string) => `date_trunc('day', ${at}, 'UTC')`;
const OF_DAY = (at: string) => `${at} >= $1::timestamptz AND ${at} < $1::timestamptz + interval '24 hours'`;
const tableOf = (client: Client, name: string) => `metering.${client.escapeIdentifier(name)}`;

/** An event as a line of JSON, and what is added up of it. */
export interface EventRow {
  line: string;
  accountId: string;
  requestId: string;
  sums: EventSums;
}

/**
 * Reads the events of a day from a partition, or from a table like one, sorted by account, in one snapshot. Every value is
 * written by PostgreSQL, so nothing is lost on the way. The order is that of bytes, so that it is the same on every server.
 */
export async function* readEvents(client: Client, table: string, day: Date): AsyncGenerator<EventRow[]> {
  type Row = Record<
    'line' | 'account_id' | 'request_id' | 'input_tokens' | 'output_tokens' | 'cost_picos' | 'cost_usd_picos',
    string
  >;
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    await client.query(
      `DECLARE events NO SCROLL CURSOR FOR
       SELECT ${LINE} AS line, e.account_id, e.request_id, e.input_tokens, e.output_tokens, e.cost_picos, e.cost_usd_picos
       FROM ${tableOf(client, table)} t CROSS JOIN LATERAL (SELECT ${EXPORTED}) e WHERE ${OF_DAY('t.occurred_at')}
       ORDER BY t.account_id COLLATE "C", t.occurred_at, t.request_id COLLATE "C"`,
      [day],
    );
    for (;;) {
      const { rows } = await client.query<Row>(`FETCH ${FETCHED_ROWS} FROM events`);
      if (rows.length === 0) return;
      yield rows.map((row) => ({
        line: row.line,
        accountId: row.account_id,
        requestId: row.request_id,
        sums: {
          rows: 1,
          inputTokens: BigInt(row.input_tokens),
          outputTokens: BigInt(row.output_tokens),
          costPicos: BigInt(row.cost_picos),
          costUsdPicos: BigInt(row.cost_usd_picos),
        },
      }));
    }
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
  }
}

/** Inserts events that `readEvents` has written. */
export async function insertEvents(client: Client, table: string, lines: string[]): Promise<void> {
  await client.query(
    `INSERT INTO ${tableOf(client, table)} (${EVENT_COLUMNS.join(', ')})
     SELECT ${EVENT_COLUMNS.join(', ')} FROM json_populate_recordset(NULL::metering.usage_events, $1::json)`,
    [`[${lines.join(',')}]`],
  );
}

/** The days of the events of a partition, ascending. */
export async function readDays(client: Client, table: string): Promise<Date[]> {
  const { rows } = await client.query<{ day: Date }>(
    `SELECT DISTINCT ${DAY_OF('occurred_at')} AS day FROM ${tableOf(client, table)} ORDER BY 1`,
  );
  return rows.map(({ day }) => day);
}

/** Whether `usage_events` has events of the day. */
export async function hasEvents(client: Client, day: Date): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT FROM metering.usage_events WHERE ${OF_DAY('occurred_at')} LIMIT 1`,
    [day],
  );
  return rows.length > 0;
}

/** What the hourly rollup has of a group of events. */
export interface UsageSums {
  tokens: bigint;
  costPicos: bigint;
  costUsdPicos: bigint;
}

type SumTexts = Record<'tokens' | 'cost' | 'usd', string>;
const ROLLUP_SUMS =
  'sum(tokens)::text AS tokens, sum(cost_picos)::text AS cost, sum(cost_usd_picos)::text AS usd';
const usageSumsOf = ({ tokens, cost, usd }: SumTexts): UsageSums => ({
  tokens: BigInt(tokens),
  costPicos: BigInt(cost),
  costUsdPicos: BigInt(usd),
});

/** By what the rollup divides usage: account, API key (empty: none), model, entrypoint and hour of the day (UTC). */
export type UsageGroup = [account: string, apiKey: string, model: string, entrypoint: string, hour: number];

/** The hourly rollup of a day, of the accounts from the first to the last one. */
export async function readRollup(
  client: Client,
  day: Date,
  accounts: { first: string; last: string },
): Promise<{ group: UsageGroup; sums: UsageSums }[]> {
  type Row = SumTexts & { account: string; key: string; model: string; entrypoint: string; hour: number };
  const { rows } = await client.query<Row>(
    `SELECT account_id AS account, api_key_id AS key, model, entrypoint,
       extract(hour FROM hour AT TIME ZONE 'UTC')::integer AS hour, ${ROLLUP_SUMS}
     FROM metering.hourly_rollup r
     WHERE ${OF_DAY('r.hour')} AND account_id COLLATE "C" >= $2 AND account_id COLLATE "C" <= $3
     GROUP BY account_id, api_key_id, model, entrypoint, r.hour`,
    [day, accounts.first, accounts.last],
  );
  return rows.map((row) => ({
    group: [row.account, row.key, row.model, row.entrypoint, row.hour],
    sums: usageSumsOf(row),
  }));
}

/** The sums of the hourly rollup by day, from the first day to the last one (exclusive). */
export async function readRollupDays(
  client: Client,
  from: Date,
  to: Date,
): Promise<{ day: Date; sums: UsageSums }[]> {
  const { rows } = await client.query<SumTexts & { day: Date }>(
    `SELECT ${DAY_OF('hour')} AS day, ${ROLLUP_SUMS} FROM metering.hourly_rollup
     WHERE hour >= $1 AND hour < $2 GROUP BY 1 ORDER BY 1`,
    [from, to],
  );
  return rows.map((row) => ({ day: row.day, sums: usageSumsOf(row) }));
}
