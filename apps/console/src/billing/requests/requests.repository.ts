import { type Executor, type Position } from '@inference/database';
import {
  type LineConditions,
  type Meter,
  type PriceUnit,
  UNSERVED_KINDS,
  type UnservedKind,
  type UsageEvent,
  type UsageFault,
  type UsageOutcome,
} from '@inference/metering';
import { type ApiKeyReference } from '../../identity/api-keys/api-keys.dto';

/** A call as the log shows it. One that was refused or failed has no tokens and no cost. */
export type LoggedRequest = Pick<
  UsageEvent,
  | 'occurredAt'
  | 'startedAt'
  | 'entrypoint'
  | 'endpoint'
  | 'inputTokens'
  | 'outputTokens'
  | 'estimated'
  | 'costPicos'
  | 'durationMs'
  | 'timeToFirstTokenMs'
  | 'finishReason'
> & {
  id: string;
  /** Null for a call that named none. */
  model: string | null;
  apiKey: ApiKeyReference | null;
  outcome: UsageOutcome | UnservedKind;
  /** Null for usage that no call of a model is. */
  httpStatus: number | null;
  errorCode: string | null;
  /** The last one that was asked; null if none was. Customers never see it. */
  upstream: string | null;
  /** Of a call that was not served. */
  timeToFirstByteMs: number | null;
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
  clientRequestId: string | undefined;
  entrypoint: string | undefined;
  outcome: UsageOutcome | undefined;
  status: 'charged' | UnservedKind | undefined;
}

/** A call with the parts of its cost, which one that was not served does not have. Amounts in picos, quantities in what the meter counts. */
export interface RequestDetail extends LoggedRequest {
  priceListId: bigint | null;
  effectiveFrom: Date | null;
  usdPerUnit: string | null;
  costUsdPicos: bigint;
  usageFault: UsageFault | null;
  /** Null also for one of more than 90 days ago. */
  clientRequestId: string | null;
  lines: (LineFacts & Record<'quantity' | 'ratePicos' | 'amountPicos', bigint>)[];
}

/** Lines of versions up to 0.2.0 name neither meter nor conditions. */
interface LineFacts {
  meter: Meter | null;
  unit: PriceUnit;
  conditions: LineConditions | null;
}

const API_KEY = `CASE WHEN k.id IS NOT NULL THEN json_build_object('id', k.id, 'name', k.name, 'prefix', k.prefix) END AS "apiKey"`;
const SHOWN = `e.request_id AS id, e.occurred_at AS "occurredAt", e.started_at AS "startedAt", e.model, e.entrypoint, e.endpoint, e.outcome,
    e.input_tokens AS "inputTokens", e.output_tokens AS "outputTokens", e.estimated, e.cost_picos AS "costPicos",
    e.duration_ms AS "durationMs", e.time_to_first_token_ms AS "timeToFirstTokenMs", e.finish_reason AS "finishReason",
    e.http_status AS "httpStatus", e.error_code AS "errorCode", e.upstream, e.time_to_first_byte_ms AS "timeToFirstByteMs", ${API_KEY}`;
/** What a list shows of a served call, and of one that was refused or failed. */
const LISTED = `request_id, occurred_at, started_at, account_id, api_key_id, model, entrypoint, endpoint, outcome, input_tokens, output_tokens,
    estimated, cost_picos, duration_ms, time_to_first_token_ms, finish_reason, upstream`;
/** Usage that a trainer reported was no call. */
const STATUS_OF_SERVED = `CASE WHEN e.endpoint <> 'training/usage' THEN 200 END AS http_status, NULL::text AS error_code,
    NULL::integer AS time_to_first_byte_ms`;
const UNSERVED_AS_LISTED = `u.request_id, u.occurred_at, u.started_at, u.account_id, u.api_key_id, u.model, u.entrypoint, u.endpoint, u.kind AS outcome,
    0::bigint AS input_tokens, 0::bigint AS output_tokens, false AS estimated, 0::numeric AS cost_picos, u.duration_ms,
    NULL::integer AS time_to_first_token_ms, NULL::text AS finish_reason, u.upstream, u.http_status, u.error_code,
    u.time_to_first_byte_ms`;
const KEYS = 'LEFT JOIN accounts.api_keys k ON k.id = e.api_key_id AND k.account_id = e.account_id';
const NEWEST_FIRST = 'e.occurred_at DESC, e.request_id DESC';

/** Collects the values of a statement; each call returns the placeholder of a value. */
function placeholders(): { values: unknown[]; of: (value: unknown) => string } {
  const values: unknown[] = [];
  return { values, of: (value) => `$${values.push(value)}` };
}

/** The conditions of the calls of a page, of served ones alone, and of the hours of the rollup that have such calls. */
function conditionsOf(
  filter: RequestFilter,
  after: Position | null,
  of: (value: unknown) => string,
): { calls: string[]; served: string[]; hours: string[] | null } {
  const { from, to, model, apiKeyId, entrypoint, outcome } = filter;
  const account = of(filter.accountId);
  const calls = [`e.account_id = ${account}`];
  const served: string[] = [];
  const hours = [`r.account_id = ${account}`];
  if (from !== undefined) {
    const start = `${of(from)}::timestamptz`;
    calls.push(`e.occurred_at >= ${start}`);
    hours.push(`r.hour > ${start} - interval '1 hour'`);
  }
  if (to !== undefined) {
    const end = `${of(to)}::timestamptz`;
    calls.push(`e.occurred_at < ${end}`);
    hours.push(`r.hour < ${end}`);
  }
  if (after) {
    const at = `${of(after.at)}::timestamptz`;
    // The first condition alone tells which partitions are read.
    calls.push(`e.occurred_at <= ${at}`, `(e.occurred_at, e.request_id) < (${at}, ${of(after.id)})`);
    hours.push(`r.hour <= ${at}`);
  }
  // The index of calls that broke off has this condition.
  if (outcome !== undefined && outcome !== 'completed') served.push(`e.outcome <> 'completed'`);
  if (outcome !== undefined) served.push(`e.outcome = ${of(outcome)}`);
  const named = [
    ['e.model', 'r.model', model],
    ['e.entrypoint', 'r.entrypoint', entrypoint],
    ["coalesce(e.api_key_id, '')", 'r.api_key_id', apiKeyId],
  ].filter(([, , value]) => value !== undefined);
  for (const [ofCall, ofHour, value] of named) {
    const placeholder = of(value);
    calls.push(`${ofCall} = ${placeholder}`);
    hours.push(`${ofHour} = ${placeholder}`);
  }
  return { calls, served: [...calls, ...served], hours: named.length > 0 ? hours : null };
}

/** The calls of a table that the client has named so; they may be far apart among many others. */
const namedSql = (table: 'usage_events' | 'unserved_calls', account: string, name: string) => `(
    SELECT e.* FROM metering.client_request_ids c JOIN metering.${table} e USING (occurred_at, request_id)
    WHERE c.account_id = ${account} AND c.client_request_id = ${name}
  )`;

/** The index of an account's events by time suffices, because the page holds the newest ones. */
const pageSql = (events: string[], count: string, source = 'metering.usage_events') => `
  SELECT ${LISTED}, ${STATUS_OF_SERVED} FROM ${source} e WHERE ${events.join(' AND ')} ORDER BY ${NEWEST_FIRST} LIMIT ${count}`;

/**
 * The events of a model, a key or an entrypoint may be few among millions of others: the rollup tells in which hours they are.
 * The rows of an hour are read when those of the later ones do not fill the page.
 */
const pageOfHoursSql = (events: string[], hours: string[], count: string) => `
  SELECT e.* FROM (
    SELECT DISTINCT r.hour FROM metering.hourly_usage r WHERE ${hours.join(' AND ')} ORDER BY r.hour DESC
  ) h CROSS JOIN LATERAL (
    ${pageSql([...events, 'e.occurred_at >= h.hour', "e.occurred_at < h.hour + interval '1 hour'"], count)}
  ) e
  ORDER BY h.hour DESC, ${NEWEST_FIRST} LIMIT ${count}`;

/** Each kind on its own: so the index gives the newest ones of either, however many the other has. */
const pageOfUnservedSql = (
  calls: string[],
  kind: UnservedKind,
  count: string,
  source = 'metering.unserved_calls',
) => `
  SELECT ${UNSERVED_AS_LISTED} FROM (
    SELECT e.* FROM ${source} e WHERE ${calls.join(' AND ')} AND e.kind = '${kind}' ORDER BY ${NEWEST_FIRST} LIMIT ${count}
  ) u`;

/** The calls after a position (null: the newest ones), newest first. */
export async function listRequests(
  executor: Executor,
  filter: RequestFilter,
  after: Position | null,
  count: number,
): Promise<(LoggedRequest & { position: Position })[]> {
  const { values, of } = placeholders();
  const { status, outcome } = filter;
  const kinds = UNSERVED_KINDS.filter((kind) => outcome === undefined && (status ?? kind) === kind);
  const isServedListed = (status ?? 'charged') === 'charged';
  if (!isServedListed && kinds.length === 0) return [];
  const { calls, served, hours } = conditionsOf(filter, after, of);
  const limit = of(count);
  const { accountId, clientRequestId } = filter;
  const named = clientRequestId === undefined ? undefined : ([of(accountId), of(clientRequestId)] as const);
  const servedFrom = named && namedSql('usage_events', ...named);
  const unservedFrom = named && namedSql('unserved_calls', ...named);
  const pages = [
    ...(isServedListed
      ? [hours && !named ? pageOfHoursSql(served, hours, limit) : pageSql(served, limit, servedFrom)]
      : []),
    ...kinds.map((kind) => pageOfUnservedSql(calls, kind, limit, unservedFrom)),
  ];
  const text = `
    SELECT ${SHOWN}, to_char(e.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
    FROM (
      SELECT e.* FROM (${pages.map((page) => `(${page})`).join(' UNION ALL ')}) e ORDER BY ${NEWEST_FIRST} LIMIT ${limit}
    ) e ${KEYS} ORDER BY ${NEWEST_FIRST}`;
  const { rows } = await executor.query<LoggedRequest & { at: string }>(text, values);
  return rows.map(({ at, ...request }) => ({ ...request, position: { at, id: request.id } }));
}

const CLIENT_REQUEST_ID = `(
    SELECT c.client_request_id FROM metering.client_request_ids c WHERE c.account_id = e.account_id AND c.request_id = e.request_id LIMIT 1
  ) AS "clientRequestId"`;

/**
 * Lines of versions up to 0.2.0 do not tell their rate: it is that of their price list, or, if it is not in it any more, what was charged
 * for one token or request.
 */
const DETAIL = `
  SELECT ${SHOWN}, e.price_list_id AS "priceListId", p.effective_from AS "effectiveFrom",
    e.usd_per_unit::text AS "usdPerUnit", e.cost_usd_picos AS "costUsdPicos",
    e.usage_fault AS "usageFault", ${CLIENT_REQUEST_ID}, (
      SELECT json_agg(json_build_object('meter', l.meter, 'unit', l.unit, 'conditions', l.conditions, 'quantity', l.quantity::text,
        'ratePicos', coalesce(l.rate_picos, r.rate, CASE WHEN l.quantity > 0 THEN trunc(l.cost_picos / l.quantity) ELSE 0 END)::text,
        'amountPicos', l.cost_picos::text) ORDER BY l.number)
      FROM ROWS FROM (jsonb_to_recordset(e.lines)
          AS (meter text, unit text, conditions jsonb, rate_picos numeric, quantity numeric, cost_picos numeric))
        WITH ORDINALITY AS l(meter, unit, conditions, rate_picos, quantity, cost_picos, number)
      LEFT JOIN LATERAL (
        SELECT m.rate_picos AS rate FROM pricing.model_prices m
        WHERE m.price_list_id = e.price_list_id AND m.slug = e.model AND m.unit = l.unit
        UNION ALL
        SELECT t.token_rate_picos FROM pricing.training_prices t WHERE t.price_list_id = e.price_list_id
      ) r ON true
    ) AS lines
  FROM (
    SELECT e.*, ${STATUS_OF_SERVED} FROM metering.usage_events e
    WHERE e.account_id = $1 AND e.request_id = $2 AND e.occurred_at >= $3 AND e.occurred_at < $4
  ) e
  JOIN pricing.price_lists p ON p.id = e.price_list_id ${KEYS}`;

/** Priced at nothing, so it has no lines. */
const UNBILLED = `
  SELECT r.request_id AS id, r.refused_at AS "occurredAt", e.started_at AS "startedAt", e.model, e.entrypoint, e.endpoint, 'failed' AS outcome,
    e.input_tokens AS "inputTokens", e.output_tokens AS "outputTokens", e.estimated, 0::numeric AS "costPicos",
    e.duration_ms AS "durationMs", e.time_to_first_token_ms AS "timeToFirstTokenMs", e.finish_reason AS "finishReason",
    503 AS "httpStatus", 'billing_unavailable' AS "errorCode", e.upstream, NULL::integer AS "timeToFirstByteMs", ${API_KEY},
    e.price_list_id AS "priceListId", p.effective_from AS "effectiveFrom", e.usd_per_unit::text AS "usdPerUnit",
    0::numeric AS "costUsdPicos", NULL::text AS "usageFault", e.client_request_id AS "clientRequestId",
    '[]'::json AS lines
  FROM metering.refused_requests r
  CROSS JOIN jsonb_to_record(r.event) AS e(started_at timestamptz, api_key_id text, model text, entrypoint text, endpoint text, input_tokens bigint,
    output_tokens bigint, estimated boolean, price_list_id bigint, usd_per_unit numeric(20, 10), duration_ms integer,
    time_to_first_token_ms integer, finish_reason text, upstream text, client_request_id text)
  JOIN pricing.price_lists p ON p.id = e.price_list_id
  LEFT JOIN accounts.api_keys k ON k.id = e.api_key_id AND k.account_id = r.account_id
  WHERE r.account_id = $1 AND r.request_id = $2`;

const UNSERVED = `
  SELECT ${SHOWN}, NULL::bigint AS "priceListId", NULL::timestamptz AS "effectiveFrom", NULL::text AS "usdPerUnit",
    0::numeric AS "costUsdPicos", NULL::text AS "usageFault", ${CLIENT_REQUEST_ID}, '[]'::json AS lines
  FROM (SELECT ${UNSERVED_AS_LISTED} FROM metering.unserved_calls u WHERE u.account_id = $1 AND u.request_id = $2) e ${KEYS}`;

type LineTexts = LineFacts & Record<'quantity' | 'ratePicos' | 'amountPicos', string>;

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
  const lines = row.lines.map(({ quantity, ratePicos, amountPicos, ...facts }) => ({
    ...facts,
    quantity: BigInt(quantity),
    ratePicos: BigInt(ratePicos),
    amountPicos: BigInt(amountPicos),
  }));
  return { ...row, lines };
}

/** The account's call with this id that was refused or failed, or null. */
export async function findUnservedRequest(
  executor: Executor,
  accountId: string,
  id: string,
): Promise<RequestDetail | null> {
  return (await executor.query<RequestDetail>(UNSERVED, [accountId, id])).rows[0] ?? null;
}

/** The account's call with this id that was served and could not be billed, or null. */
export async function findUnbilledRequest(
  executor: Executor,
  accountId: string,
  id: string,
): Promise<RequestDetail | null> {
  return (await executor.query<RequestDetail>(UNBILLED, [accountId, id])).rows[0] ?? null;
}

/** Whose call it is that was settled in a period. Served ones have no index by their id alone: a period is read whole. */
const OWNER_OF_SERVED = `
  SELECT account_id AS "accountId" FROM metering.usage_events
  WHERE request_id = $1 AND occurred_at >= $2 AND occurred_at < $3 LIMIT 1`;

const OWNER_OF_OTHERS = `
  SELECT account_id AS "accountId" FROM metering.refused_requests WHERE request_id = $1
  UNION ALL
  (SELECT account_id FROM metering.unserved_calls
    WHERE request_id = $1 AND occurred_at >= $2::timestamptz AND occurred_at < $3::timestamptz LIMIT 1)`;

/** Whose call with this id it is that ended in a period, or null. For staff. */
export async function findOwnerOfRequest(
  executor: Executor,
  id: string,
  { from, to }: { from: Date; to: Date },
): Promise<string | null> {
  type Row = { accountId: string };
  for (const statement of [OWNER_OF_OTHERS, OWNER_OF_SERVED]) {
    const { rows } = await executor.query<Row>(statement, [id, from, to]);
    if (rows[0]) return rows[0].accountId;
  }
  return null;
}

/** The newest call of each account, of at most so many, that its client has named so. For staff. */
const NAMED_OF_ANY = `
  SELECT DISTINCT ON (account_id) account_id AS "accountId", request_id AS id
  FROM metering.client_request_ids WHERE client_request_id = $1 ORDER BY account_id, occurred_at DESC LIMIT $2`;

export async function findCallsByClientId(
  executor: Executor,
  clientRequestId: string,
  accounts: number,
): Promise<{ id: string; accountId: string }[]> {
  type Row = { id: string; accountId: string };
  return (await executor.query<Row>(NAMED_OF_ANY, [clientRequestId, accounts])).rows;
}
