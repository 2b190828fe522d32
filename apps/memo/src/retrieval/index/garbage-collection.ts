import { type Database, type Transaction } from '@inference/database';
import { deleteChunks } from '../search/chunks.repository';
import { type Garbage } from '../../tables/garbage.entity';
import { deleteGarbage, discardUnpublishedSegments, lockOldestGarbage } from './storage/garbage.repository';
import { deletePostings } from './storage/postings.repository';

/** Rows deleted in one transaction. Twice as many hold their locks twice as long; half need twice the transactions. */
const MAX_ROWS_PER_STEP = 2_000;
/** After this many steps the job is queued again, so that waiting documents are processed in between. */
const MAX_STEPS = 20;

/**
 * Deletes a limited amount of discarded data. Returns true if more may be left. Several processes may run it at the
 * same time.
 */
export async function collectGarbage(database: Database, signal: AbortSignal): Promise<boolean> {
  for (let steps = 0; steps < MAX_STEPS && !signal.aborted; steps++)
    if (!(await database.transaction(collectOnce))) return false;
  return true;
}

/** Returns false if no entry is left that no other process works on. */
async function collectOnce(transaction: Transaction): Promise<boolean> {
  const garbage = await lockOldestGarbage(transaction);
  if (!garbage) return false;
  if ((await deleteRows(transaction, garbage)) < MAX_ROWS_PER_STEP) await deleteGarbage(transaction, garbage);
  return true;
}

/** Returns how many rows were deleted; MAX_ROWS_PER_STEP if more may be left. */
async function deleteRows(
  transaction: Transaction,
  { documentId, version, segmentId }: Garbage,
): Promise<number> {
  if (segmentId !== null) return deletePostings(transaction, segmentId, MAX_ROWS_PER_STEP);
  // Published segments are merged.
  await discardUnpublishedSegments(transaction, documentId!, version!);
  return deleteChunks(transaction, documentId!, version!, MAX_ROWS_PER_STEP);
}
