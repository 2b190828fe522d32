import { type Site } from '@inference/config';
import { newId, type Sql } from '@inference/database';
import { serialiseSnapshot, type SharedSnapshot } from './snapshot';
import { TIME_ZONES } from './site-time';

export type DocumentKind = 'receipt' | 'invoice';

/** What an issued document is known by. */
export interface Issued {
  id: string;
  /** `R-2026-000001`, `INV-2026-000001`: of its kind and year, without gaps. */
  number: string;
  issuedAt: Date;
}

export interface NewDocument {
  kind: DocumentKind;
  paymentId: string;
  accountId: string;
  snapshot: SharedSnapshot;
}

const PREFIXES: Record<DocumentKind, string> = { receipt: 'R', invoice: 'INV' };

const FIND_NUMBER = 'SELECT number FROM billing.documents WHERE payment_id = $1';
/** The year is that of the issue. A clock that goes back gives no number twice, and no time before the last one's. */
const ISSUE = `
  WITH numbered AS (
    UPDATE billing.document_counters c SET (issued_at, year, last) = (
      SELECT at, y, CASE WHEN y = c.year THEN c.last + 1 ELSE 1 END
      FROM (SELECT greatest(clock_timestamp(), c.issued_at) AS at) moment,
        LATERAL (SELECT extract(year FROM at AT TIME ZONE $7)::integer AS y) calendar)
    WHERE kind = $2
    RETURNING c.issued_at, c.year, c.last)
  INSERT INTO billing.documents (id, kind, number, payment_id, account_id, snapshot, issued_at)
  SELECT $1, $2, $6 || '-' || year || '-' || lpad(last::text, greatest(6, length(last::text)), '0'), $3, $4, $5,
    issued_at
  FROM numbered
  RETURNING id, number, issued_at AS "issuedAt"`;

/** Of the payment's document, of which there is one at most; null without one. */
export async function documentNumber(sql: Sql, paymentId: string): Promise<string | null> {
  return (await sql.query<{ number: string }>(FIND_NUMBER, [paymentId])).rows[0]?.number ?? null;
}

export const newDocumentId = () => newId('doc');

/**
 * Issues a document under the next number of its kind, as part of the caller's transaction. From here on everybody else
 * who issues one waits for that transaction to end: it should be the last thing that it does.
 */
export async function issueDocument(
  sql: Sql,
  site: Site,
  id: string,
  { kind, paymentId, accountId, snapshot }: NewDocument,
): Promise<Issued> {
  const { rows } = await sql.query<Issued>(ISSUE, [
    id,
    kind,
    paymentId,
    accountId,
    serialiseSnapshot(snapshot),
    PREFIXES[kind],
    TIME_ZONES[site],
  ]);
  return rows[0]!;
}
