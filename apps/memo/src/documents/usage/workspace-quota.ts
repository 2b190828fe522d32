import { ConflictException } from '@nestjs/common';
import { type Executor, type Transaction } from '@inference/database';
import { type WorkspaceLimits } from '../documents.config';
import { hasExternalIds } from '../documents.repository';
import { addUsage, readUsage, type WorkspaceUsage } from './workspace-usage.repository';

/** Throws 409, before the upload is read, if the workspace has no room for it. */
export async function checkRoomForGrowth(
  executor: Executor,
  limits: WorkspaceLimits,
  workspaceId: string,
  growth: WorkspaceUsage,
): Promise<void> {
  const { documents, bytes } = await readUsage(executor, workspaceId);
  const then = { documents: documents + growth.documents, bytes: bytes + growth.bytes };
  requireWithinLimits(limits, then, growth);
}

/**
 * Throws 409, before the upload is read, if the workspace has no room for a new document. Checks nothing if any
 * document has an external_id: the upload may replace that document, which is known only after the upload.
 */
export async function checkRoomForDocument(
  executor: Executor,
  limits: WorkspaceLimits,
  workspaceId: string,
  bytes: number,
): Promise<void> {
  if (!(await hasExternalIds(executor, workspaceId)))
    await checkRoomForGrowth(executor, limits, workspaceId, { documents: 1, bytes });
}

/**
 * Counts an addition to a workspace. Takes the workspace's advisory lock, so other uploads to the workspace wait until the
 * transaction ends. Call it last: then the transaction needs no other lock while it holds this one. Throws 409 if the
 * workspace exceeds its limits.
 */
export async function recordGrowth(
  transaction: Transaction,
  limits: WorkspaceLimits,
  workspaceId: string,
  growth: WorkspaceUsage,
): Promise<void> {
  requireWithinLimits(limits, await addUsage(transaction, workspaceId, growth), growth);
}

/** A change that reduces the usage is accepted even above the limit, which may have been lowered. */
function requireWithinLimits(
  { maxDocuments, maxBytes }: WorkspaceLimits,
  then: WorkspaceUsage,
  growth: WorkspaceUsage,
): void {
  if (growth.documents > 0 && then.documents > maxDocuments)
    throw new ConflictException(`this workspace holds ${maxDocuments} documents at most; delete some first`);
  if (growth.bytes > 0 && then.bytes > maxBytes)
    throw new ConflictException(
      `this workspace holds ${maxBytes} bytes of documents at most; delete some first`,
    );
}
