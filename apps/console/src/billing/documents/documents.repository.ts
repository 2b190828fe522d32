import { type Site } from '@inference/config';
import { type Executor, newId, type Transaction } from '@inference/database';
import { type DocumentSnapshot, serialiseSnapshot } from './document-snapshot';
import { BillingDocument, type DocumentKind } from './document.entity';
import { TIME_ZONES } from './print-formats';

export type IssuedDocument = Pick<BillingDocument, 'id' | 'number' | 'issuedAt'>;

type NewDocument = Pick<BillingDocument, 'kind' | 'paymentId' | 'accountId'> & {
  snapshot: DocumentSnapshot;
};

const PREFIXES: Record<DocumentKind, string> = { receipt: 'R', invoice: 'INV' };

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
export async function findDocumentNumber(executor: Executor, paymentId: string): Promise<string | null> {
  const document = await executor
    .repository(BillingDocument)
    .findOne({ select: { id: true, number: true }, where: { paymentId } });
  return document?.number ?? null;
}

/**
 * The document of the account's own payment. Null for another account's payment, and for a payment without a document of
 * this kind.
 */
export function findOwnDocument(
  executor: Executor,
  kind: DocumentKind,
  { accountId, paymentId }: { accountId: string; paymentId: string },
): Promise<BillingDocument | null> {
  return executor.repository(BillingDocument).findOneBy({ paymentId, accountId, kind });
}

export const newDocumentId = () => newId('doc');

/**
 * Issues a document under the next number of its kind. All other issues of this kind wait until the transaction ends,
 * so it should be the transaction's last statement.
 */
export async function issueDocument(
  transaction: Transaction,
  site: Site,
  id: string,
  { kind, paymentId, accountId, snapshot }: NewDocument,
): Promise<IssuedDocument> {
  const { rows } = await transaction.query<IssuedDocument>(ISSUE, [
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
