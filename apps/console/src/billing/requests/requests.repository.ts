import { type Executor, type Position } from '@inference/database';
import { type PriceUnit, type UsageEvent, type UsageOutcome } from '@inference/metering';
import { type ApiKeyReference } from '../../identity/api-keys/api-keys.dto';

/** A served call as the log shows it. */
export type LoggedRequest = Pick<
  UsageEvent,
  | 'occurredAt'
  | 'startedAt'
  | 'model'
  | 'entrypoint'
  | 'inputTokens'
  | 'outputTokens'
  | 'estimated'
  | 'costPicos'
> & {
  id: string;
  apiKey: ApiKeyReference | null;
  /** refused: it could not be billed, so it is free. */
  outcome: UsageOutcome | 'refused';
};

/** Which calls of an account are listed. What is undefined does not limit them. */
export interface RequestFilter {
  accountId: string;
  /** ISO 8601, inclusive. */
  from: string | undefined;
  /** ISO 8601, exclusive. */
  to: string | undefined;
  model: string | undefined;
  /** Empty: calls without an API key. */
  apiKeyId: string | undefined;
  entrypoint: string | undefined;
  outcome: UsageOutcome | undefined;
}

/** A served call with the parts of its cost. Amounts in picos, quantities in tokens or requests. */
export interface RequestDetail extends LoggedRequest {
  priceListId: bigint;
  effectiveFrom: Date;
  usdPerUnit: string;
  costUsdPicos: bigint;
  lines: { unit: PriceUnit; quantity: bigint; ratePicos: bigint; amountPicos: bigint }[];
}

const COLUMNS = `e.request_id AS id, e.occurred_at AS "occurredAt", e.started_at AS "startedAt", e.model, e.entrypoint, e.outcome,
    e.input_tokens AS "inputTokens", e.output_tokens AS "outputTokens", e.estimated, e.cost_picos AS "costPicos",
    CASE WHEN k.id IS NOT NULL THEN json_build_object('id', k.id, 'name', k.name, 'prefix', k.prefix) END AS "apiKey"`;
const KEYS = 'LEFT JOIN accounts.api_keys k ON k.id = e.api_key_id AND k.account_id = e.account_id';
const NEWEST_FIRST = 'e.occurred_at DESC, e.request_id DESC';

/** Collects the values of a statement; each call returns the placeholder of a value. */
function placeholders(): { values: unknown[]; of: (value: unknown) => string } {
  const values: unknown[] = [];
  return { values, of: (value) => `$${values.push(value)}` };
}

/** The conditions of the events of a page, and of the hours of the rollup that have such events. */
function conditionsOf(
  filter: RequestFilter,
  after: Position | null,
  of: (value: unknown) => string,
): { events: string[]; hours: string[] | null } {
  const { from, to, model, apiKeyId, entrypoint, outcome } = filter;
  const account = of(filter.accountId);
  const events = [`e.account_id = ${account}`];
  const hours = [`r.account_id = ${account}`];
  if (from !== undefined) {
    const start = `${of(from)}::timestamptz`;
    events.push(`e.occurred_at >= ${start}`);
    hours.push(`r.hour > ${start} - interval '1 hour'`);
  }
  if (to !== undefined) {
    const end = `${of(to)}::timestamptz`;
    events.push(`e.occurred_at < ${end}`);
    hours.push(`r.hour < ${end}`);
  }
  if (after) {
    const at = `${of(after.at)}::timestamptz`;
    // The first condition alone tells which partitions are read.
    events.push(`e.occurred_at <= ${at}`, `(e.occurred_at, e.request_id) < (${at}, ${of(after.id)})`);
    hours.push(`r.hour <= ${at}`);
  }
  // The index of calls that broke off has this condition.
  if (outcome !== undefined && outcome !== 'completed') events.push(`e.outcome <> 'completed'`);
  if (outcome !== undefined) events.push(`e.outcome = ${of(outcome)}`);
  const named = [
    ['e.model', 'r.model', model],
    ['e.entrypoint', 'r.entrypoint', entrypoint],
    ["coalesce(e.api_key_id, '')", 'r.api_key_id', apiKeyId],
  ].filter(([, , value]) => value !== undefined);
  for (const [ofEvent, ofHour, value] of named) {
    const placeholder = of(value);
    events.push(`${ofEvent} = ${placeholder}`);
    hours.push(`${ofHour} = ${placeholder}`);
  }
  return { events, hours: named.length > 0 ? hours : null };
}

/** The index of an account's events by time suffices, because the page holds the newest ones. */
const pageSql = (events: string[], count: string) => `
  SELECT e.* FROM metering.usage_events e WHERE ${events.join(' AND ')} ORDER BY ${NEWEST_FIRST} LIMIT ${count}`;

/**
 * The events of a model, a key or an entrypoint may be few among millions of others: the rollup tells in which hours they are.
 * The rows of an hour are read when those of the later ones do not fill the page.
 */
const pageOfHoursSql = (events: string[], hours: string[], count: string) => `
  SELECT e.* FROM (
    SELECT DISTINCT r.hour FROM metering.hourly_rollup r WHERE ${hours.join(' AND ')} ORDER BY r.hour DESC
  ) h CROSS JOIN LATERAL (
    ${pageSql([...events, 'e.occurred_at >= h.hour', "e.occurred_at < h.hour + interval '1 hour'"], count)}
  ) e
  ORDER BY h.hour DESC, ${NEWEST_FIRST} LIMIT ${count}`;

/** The calls after a position (null: the newest ones), newest first. */
export async function listRequests(
  executor: Executor,
  filter: RequestFilter,
  after: Position | null,
  count: number,
): Promise<(LoggedRequest & { position: Position })[]> {
  const { values, of } = placeholders();
  const { events, hours } = conditionsOf(filter, after, of);
  const limit = of(count);
  const page = hours ? pageOfHoursSql(events, hours, limit) : pageSql(events, limit);
  const text = `
    SELECT ${COLUMNS}, to_char(e.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
    FROM (${page}) e ${KEYS} ORDER BY ${NEWEST_FIRST}`;
  const { rows } = await executor.query<LoggedRequest & { at: string }>(text, values);
  return rows.map(({ at, ...request }) => ({ ...request, position: { at, id: request.id } }));
}

/** A price that is not in its list any more is what was charged for one token or request. */
const DETAIL = `
  SELECT ${COLUMNS}, e.price_list_id AS "priceListId", p.effective_from AS "effectiveFrom",
    e.usd_per_unit::text AS "usdPerUnit", e.cost_usd_picos AS "costUsdPicos", (
      SELECT json_agg(json_build_object('unit', l.unit, 'quantity', l.quantity::text,
        'ratePicos', coalesce(r.rate, CASE WHEN l.quantity > 0 THEN trunc(l.cost_picos / l.quantity) ELSE 0 END)::text,
        'amountPicos', l.cost_picos::text) ORDER BY l.number)
      FROM ROWS FROM (jsonb_to_recordset(e.lines) AS (unit text, quantity numeric, cost_picos numeric))
        WITH ORDINALITY AS l(unit, quantity, cost_picos, number)
      LEFT JOIN LATERAL (
        SELECT m.rate_picos AS rate FROM pricing.model_prices m
        WHERE m.price_list_id = e.price_list_id AND m.slug = e.model AND m.unit = l.unit
        UNION ALL
        SELECT t.token_rate_picos FROM pricing.training_prices t WHERE t.price_list_id = e.price_list_id
      ) r ON true
    ) AS lines
  FROM metering.usage_events e JOIN pricing.price_lists p ON p.id = e.price_list_id ${KEYS}
  WHERE e.account_id = $1 AND e.request_id = $2 AND e.occurred_at >= $3 AND e.occurred_at < $4`;

/** Priced at nothing, so it has no lines. */
const REFUSED = `
  SELECT r.request_id AS id, r.refused_at AS "occurredAt", e.started_at AS "startedAt", e.model, e.entrypoint, 'refused' AS outcome,
    e.input_tokens AS "inputTokens", e.output_tokens AS "outputTokens", e.estimated, 0::numeric AS "costPicos",
    CASE WHEN k.id IS NOT NULL THEN json_build_object('id', k.id, 'name', k.name, 'prefix', k.prefix) END AS "apiKey",
    e.price_list_id AS "priceListId", p.effective_from AS "effectiveFrom", e.usd_per_unit::text AS "usdPerUnit",
    0::numeric AS "costUsdPicos", '[]'::json AS lines
  FROM metering.refused_requests r
  CROSS JOIN jsonb_to_record(r.event) AS e(started_at timestamptz, api_key_id text, model text, entrypoint text, input_tokens bigint,
    output_tokens bigint, estimated boolean, price_list_id bigint, usd_per_unit numeric(20, 10))
  JOIN pricing.price_lists p ON p.id = e.price_list_id
  LEFT JOIN accounts.api_keys k ON k.id = e.api_key_id AND k.account_id = r.account_id
  WHERE r.account_id = $1 AND r.request_id = $2`;

type LineTexts = Record<'quantity' | 'ratePicos' | 'amountPicos', string> & { unit: PriceUnit };

/** The account's call with this id that was settled in a period, or null. */
export async function findRequest(
  executor: Executor,
  accountId: string,
  id: string,
  { from, to }: { from: Date; to: Date },
): Promise<RequestDetail | null> {
  type Row = Omit<RequestDetail, 'lines'> & { lines: LineTexts[] };
  const { rows } = await executor.query<Row>(DETAIL, [accountId, id, from, to]);
  const [row] = rows;
  if (!row) return null;
  const lines = row.lines.map(({ unit, quantity, ratePicos, amountPicos }) => ({
    unit,
    quantity: BigInt(quantity),
    ratePicos: BigInt(ratePicos),
    amountPicos: BigInt(amountPicos),
  }));
  return { ...row, lines };
}

/** The account's call with this id that could not be billed, or null. */
export async function findRefusedRequest(
  executor: Executor,
  accountId: string,
  id: string,
): Promise<RequestDetail | null> {
  return (await executor.query<RequestDetail>(REFUSED, [accountId, id])).rows[0] ?? null;
}
