import { type Transaction } from '@inference/database';
import { type PriceListKind } from '@inference/metering';
import { ConflictException } from '@nestjs/common';
import { type Actor } from '../../accounts/audit-log/actor';
import { lockLists, readNewestListId } from './price-lists.repository';
import { type PublishQuery } from './pricing.dto';

/** The version before the first list. */
const NO_LIST = '0';

interface Publication {
  admin: Actor;
  /** The list that the change is based on; undefined: whichever is the newest. */
  version: string | undefined;
  /** For people; null: nobody said. */
  reason: string | null;
}

/** Who publishes, or null to see what would change: nothing is stored. */
export type Publisher = Publication | null;

/** What is stored of a publication with its list. */
export const publicationOf = ({ admin, reason }: Publication) => ({ publishedBy: admin.accountId, reason });

/** The reason for the audit event; nothing if nobody said one. */
export const reasonOf = ({ reason }: Publication): Record<string, string> =>
  reason === null ? {} : { reason };

export const publisherOf = (admin: Actor, { dry_run: isDryRun, version, reason }: PublishQuery): Publisher =>
  isDryRun ? null : { admin, version, reason: reason ?? null };

/** Locks the lists until the end of the transaction. Throws 409 if the newest one is not that of the publication. */
export async function lockListsFor(
  transaction: Transaction,
  kind: PriceListKind,
  { version }: Publication,
): Promise<void> {
  await lockLists(transaction, kind);
  if (version === undefined) return;
  const newest = String((await readNewestListId(transaction, kind)) ?? NO_LIST);
  if (newest !== version)
    throw new ConflictException(`version: ${newest} was published meanwhile; compare with it and try again`);
}
