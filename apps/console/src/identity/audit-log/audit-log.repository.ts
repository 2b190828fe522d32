import { type Sql } from '@inference/database';
import { type Position } from '@inference/http';

export interface AuditEvent {
  id: string;
  type: string;
  accountId: string | null;
  actorId: string | null;
  address: string | null;
  userAgent: string | null;
  details: Record<string, unknown>;
  createdAt: Date;
  position: Position;
}

type Row = Omit<AuditEvent, 'position'> & { at: string };

const LIST = `
  SELECT id, type, account_id AS "accountId", actor_id AS "actorId", address, user_agent AS "userAgent", details,
    created_at AS "createdAt", to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
  FROM accounts.security_events
  WHERE ($1::text IS NULL OR account_id = $1) AND ($2::text IS NULL OR type = $2)
    AND ($3::timestamptz IS NULL OR (created_at, id) < ($3, $4))
  ORDER BY created_at DESC, id DESC LIMIT $5`;

/** Newest first. An absent filter selects all accounts or all types. */
export async function listAuditEvents(
  sql: Sql,
  filter: { accountId?: string | undefined; type?: string | undefined },
  after: Position | null,
  count: number,
): Promise<AuditEvent[]> {
  const { rows } = await sql.query<Row>(LIST, [
    filter.accountId ?? null,
    filter.type ?? null,
    after?.at ?? null,
    after?.id ?? null,
    count,
  ]);
  return rows.map(({ at, ...event }) => ({ ...event, position: { at, id: event.id } }));
}
