import { type Sql } from '@inference/database';
import { type z } from 'zod';
import { type DocumentKind, type Issued } from './document';

const FIND_OWN = `
  SELECT id, number, issued_at AS "issuedAt", snapshot FROM billing.documents
  WHERE payment_id = $1 AND account_id = $2 AND kind = $3`;

/** The document of one's own payment; null for another account's payment, and for one that has no such document. */
export async function findOwnDocument<Snapshot>(
  sql: Sql,
  kind: DocumentKind,
  { accountId, paymentId }: { accountId: string; paymentId: string },
  schema: z.ZodType<Snapshot>,
): Promise<(Issued & { snapshot: Snapshot }) | null> {
  const { rows } = await sql.query<Issued & { snapshot: unknown }>(FIND_OWN, [paymentId, accountId, kind]);
  const row = rows[0];
  return row ? { ...row, snapshot: schema.parse(row.snapshot) } : null;
}
