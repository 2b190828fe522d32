import { type Executor, newId, type Position, readNewestFirst } from '@inference/database';
import { MODEL_PRICES } from '@inference/metering';
import { type InstantMicros, instantText } from '@inference/time';
import { Account } from '../../accounts/account.entity';
import { AccountNote } from './account-view.entity';
import { type CustomerDocumentResponse, type TimelineKind } from './customer-view.dto';

export interface TimelineEntry {
  id: string;
  at: Date;
  kind: TimelineKind;
  type: string;
  actorId: string | null;
  details: Record<string, unknown>;
  position: Position;
}

/** Chosen: a customer uses a few models; prices change some times a week. */
const MOST_MODELS = 50;
const MOST_PRICE_LISTS = 200;

/** The condition of one source: only what comes after the position and lies in the range, so that each is read by its index. */
const page = (time: string, id: string) =>
  `($2::timestamptz IS NULL OR ${time} <= $2) AND ($2::timestamptz IS NULL OR (${time}, ${id}) < ($2, $3))
    AND ${time} >= coalesce($5::timestamptz, '-infinity') AND ${time} < coalesce($6::timestamptz, 'infinity') ORDER BY ${time} DESC, ${id} DESC LIMIT $4`;

const PRICE_CHANGES = `
  SELECT 'prices_' || l.id AS id, l.effective_from AS at, l.published_by,
    array_agg(l.slug ORDER BY l.slug) AS models
  FROM (
    SELECT l.id, l.effective_from, l.published_by, m.slug, prices,
      lag(prices) OVER (PARTITION BY m.slug ORDER BY l.id) AS before, lag(l.id) OVER (PARTITION BY m.slug ORDER BY l.id) AS former
    FROM (SELECT * FROM pricing.price_lists WHERE kind = 'models' ORDER BY id DESC LIMIT ${MOST_PRICE_LISTS}) l
    CROSS JOIN (
      SELECT model AS slug FROM metering.daily_rollup WHERE account_id = $1 AND day > now() - interval '90 days'
      UNION SELECT model FROM metering.hourly_usage WHERE account_id = $1 AND hour > now() - interval '2 days'
      LIMIT ${MOST_MODELS}
    ) m
    CROSS JOIN LATERAL (
      SELECT array_agg((unit, rate_picos, min_input_tokens, service_tier, hours, effective_from)::text
        ORDER BY (unit, rate_picos, min_input_tokens, service_tier, hours, effective_from)::text) AS prices
      FROM ${MODEL_PRICES} p WHERE p.price_list_id = l.id AND p.slug = m.slug
    ) p
  ) l
  WHERE former IS NOT NULL AND prices IS DISTINCT FROM before GROUP BY l.id, l.effective_from, l.published_by`;

const TIMELINE = `
  SELECT t.*, to_char(t.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "atText" FROM (
    (SELECT id, created_at AS at, 'event' AS kind, type, actor_id AS "actorId",
      details || jsonb_build_object('address', address) AS details
      FROM accounts.security_events WHERE account_id = $1 AND ${page('created_at', 'id')})
    UNION ALL
    (SELECT id, created_at, 'payment', status, account_id,
      jsonb_build_object('amount_minor', amount_minor, 'currency', currency, 'provider', provider, 'paid_at', paid_at)
      FROM billing.payments WHERE account_id = $1 AND ${page('created_at', 'id')})
    UNION ALL
    (SELECT request_id, occurred_at, 'failed_call', error_code, account_id,
      jsonb_build_object('model', model, 'http_status', http_status, 'upstream', upstream, 'duration_ms', duration_ms)
      FROM metering.unserved_calls WHERE account_id = $1 AND kind = 'failed' AND ${page('occurred_at', 'request_id')})
    UNION ALL
    (SELECT id, created_at, 'note', 'note', author_id, jsonb_build_object('text', text)
      FROM accounts.account_notes WHERE account_id = $1 AND ${page('created_at', 'id')})
    UNION ALL
    (SELECT id, at, 'prices', 'prices', published_by, jsonb_build_object('models', models)
      FROM (${PRICE_CHANGES}) c WHERE ${page('at', 'id')})
  ) t ORDER BY at DESC, id DESC LIMIT $4`;

/** From `from` on and before `to`. An absent one does not matter. */
export interface TimeRange {
  from?: InstantMicros | undefined;
  to?: InstantMicros | undefined;
}

const textOf = (instant: InstantMicros | undefined) => (instant === undefined ? null : instantText(instant));

/** What happened to an account in a time, newest first. */
export async function readTimeline(
  executor: Executor,
  accountId: string,
  { from, to }: TimeRange,
  after: Position | null,
  count: number,
): Promise<TimelineEntry[]> {
  type Row = Omit<TimelineEntry, 'position'> & { atText: string };
  const values = [accountId, after?.at ?? null, after?.id ?? null, count, textOf(from), textOf(to)];
  const { rows } = await executor.query<Row>(TIMELINE, values);
  return rows.map(({ atText, ...entry }) => ({ ...entry, position: { at: atText, id: entry.id } }));
}

export interface CustomerAgent {
  publicId: string;
  model: string | null;
  apiKeyId: string | null;
  turns: number;
  createdAt: Date;
}

const AGENTS = `
  SELECT public_id AS "publicId", model, api_key_id AS "apiKeyId", last_turn AS turns, created_at AS "createdAt"
  FROM agent.sessions WHERE account_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`;

/** The agent sessions of an account, newest first. */
export async function listAgents(
  executor: Executor,
  accountId: string,
  count: number,
): Promise<CustomerAgent[]> {
  return (await executor.query<CustomerAgent>(AGENTS, [accountId, count])).rows;
}

export interface CustomerWorkspace {
  id: string;
  name: string;
  role: string;
  isCreator: boolean;
  memberSince: Date;
}

const WORKSPACES = `
  SELECT w.id, w.name, m.role::text AS role, w.created_by = $1 AS "isCreator", m.created_at AS "memberSince"
  FROM memo.members m JOIN memo.workspaces w ON w.id = m.workspace_id
  WHERE m.account_id = $1 ORDER BY m.created_at DESC, w.id LIMIT $2`;

/** The workspaces of an account, newest membership first. */
export async function listWorkspaces(
  executor: Executor,
  accountId: string,
  count: number,
): Promise<CustomerWorkspace[]> {
  return (await executor.query<CustomerWorkspace>(WORKSPACES, [accountId, count])).rows;
}

const DOCUMENTS = `
  SELECT d.id, v.title AS name, d.workspace_id, w.name AS workspace_name, v.media_type, v.bytes, v.status, v.error_code, d.version,
    d.serving_version, d.created_at AS "createdAt", d.updated_at AS "updatedAt",
    to_char(d.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "atText"
  FROM memo.documents d
  JOIN memo.document_versions v ON v.document_id = d.id AND v.version = d.version
  JOIN memo.workspaces w ON w.id = d.workspace_id
  WHERE d.created_by = $1 AND (d.created_at, d.id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3, ''))
  ORDER BY d.created_at DESC, d.id DESC LIMIT $4`;

export interface CustomerDocument {
  document: Omit<CustomerDocumentResponse, 'created_at' | 'updated_at'>;
  createdAt: Date;
  updatedAt: Date;
  position: Position;
}

/** The documents that an account has uploaded, in their newest versions, newest document first. */
export async function listDocuments(
  executor: Executor,
  accountId: string,
  after: Position | null,
  count: number,
): Promise<CustomerDocument[]> {
  type Row = CustomerDocument['document'] &
    Pick<CustomerDocument, 'createdAt' | 'updatedAt'> & { atText: string };
  const values = [accountId, after?.at ?? null, after?.id ?? null, count];
  const { rows } = await executor.query<Row>(DOCUMENTS, values);
  return rows.map(({ createdAt, updatedAt, atText, ...document }) => ({
    ...{ document, createdAt, updatedAt },
    position: { at: atText, id: document.id },
  }));
}

export async function insertNote(
  executor: Executor,
  note: Pick<AccountNote, 'accountId' | 'authorId' | 'text'>,
): Promise<AccountNote> {
  const notes = executor.repository(AccountNote);
  const stored = notes.create({ ...note, id: newId('note') });
  await notes.insert(stored);
  return stored;
}

/** Newest first, with the addresses of their authors. */
export function listNotes(
  executor: Executor,
  accountId: string,
  after: Position | null,
  count: number,
): Promise<(AccountNote & { author: Pick<Account, 'email'>; position: Position })[]> {
  const query = executor
    .repository<AccountNote & { author: Account }>(AccountNote)
    .createQueryBuilder('note')
    .innerJoinAndMapOne('note.author', Account, 'author', 'author.id = note.authorId')
    .where({ accountId });
  return readNewestFirst(query, 'createdAt', after, count);
}
