import { type Site } from '@inference/config';
import { newId, type Sql } from '@inference/database';
import { type z } from 'zod';
import { serialiseSnapshot, type DocumentSnapshot } from './document-snapshot';
import { TIME_ZONES } from './site-time';

export type DocumentKind = 'receipt' | 'invoice';

export interface IssuedDocument {
  id: string;
  /** `R-2026-000001`, `INV-2026-000001`: consecutive within kind and year, without gaps. */
  number: string;
  issuedAt: Date;
}

export interface NewDocument {
  kind: DocumentKind;
  paymentId: string;
  accountId: string;
  snapshot: DocumentSnapshot;
}

const PREFIXES: Record<DocumentKind, string> = { receipt: 'R', invoice: 'INV' };

const FIND_NUMBER = 'SELECT number FROM billing.documents WHERE payment_id = $1';
const FIND_OWN = `
  SELECT id, number, issued_at AS "issuedAt", snapshot FROM billing.documents
  WHERE payment_id = $1 AND account_id = $2 AND kind = $3`;

/**
 * The year is that of the issue in the site's time zone. If the clock goes back, the time of the previous document counts,
 * so that numbers stay unique and times ascending.
 */
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

/** The number of the payment's document; null if it has none. A payment has at most one document. */
export async function findDocumentNumber(sql: Sql, paymentId: string): Promise<string | null> {
  return (await sql.query<{ number: string }>(FIND_NUMBER, [paymentId])).rows[0]?.number ?? null;
}

/**
 * The document of the account's own payment. Null for another account's payment, and for a payment without a document of
 * this kind.
 */
export async function findOwnDocument<Snapshot>(
  sql: Sql,
  kind: DocumentKind,
  { accountId, paymentId }: { accountId: string; paymentId: string },
  schema: z.ZodType<Snapshot>,
): Promise<(IssuedDocument & { snapshot: Snapshot }) | null> {
  const { rows } = await sql.query<IssuedDocument & { snapshot: unknown }>(FIND_OWN, [
    paymentId,
    accountId,
    kind,
  ]);
  const row = rows[0];
  return row ? { ...row, snapshot: schema.parse(row.snapshot) } : null;
}

export const newDocumentId = () => newId('doc');

/**
 * Issues a document under the next number of its kind, as part of the caller's transaction. All other issues of this
 * kind wait until the transaction ends, so it should be the transaction's last statement.
 */
export async function issueDocument(
  sql: Sql,
  site: Site,
  id: string,
  { kind, paymentId, accountId, snapshot }: NewDocument,
): Promise<IssuedDocument> {
  const { rows } = await sql.query<IssuedDocument>(ISSUE, [
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
